'use strict';
// Players: an element with data-player around an audio element, buttons with data-play ('all', 'a' or 'b'),
// a slider with data-seek, a cursor with data-cursor and a clock with data-time. data-seconds says how long
// the recording is, data-a-ends and data-b-starts where its clips lie. Players may come and go: all events are
// heard at the document.
const listenbenchPlayer = (() => {
  const stops = new WeakMap();
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const CLOCK_STEP = 0.1;

  const playerOf = (element) => element.closest('[data-player]');
  const audioOf = (player) => player.querySelector('audio');
  const isPlaying = (player) => !audioOf(player).paused;

  function show(player) {
    const seconds = Number(player.dataset.seconds);
    const now = Math.min(audioOf(player).currentTime, seconds);
    player.querySelector('[data-cursor]').style.transform = `translateX(${(100 * now) / seconds}%)`;
    player.classList.toggle('begun', now > 0);
    const clock = (Math.floor(now / CLOCK_STEP + 1e-6) * CLOCK_STEP).toFixed(1);
    const time = player.querySelector('[data-time]');
    if (time.textContent === clock && !player.dataset.moved) return;
    delete player.dataset.moved;
    time.textContent = clock;
    const seek = player.querySelector('[data-seek]');
    seek.value = now;
    seek.setAttribute('aria-valuetext', `${clock} of ${seconds.toFixed(1)} seconds`);
  }

  function stopWhenDue(player) {
    const audio = audioOf(player);
    if (stops.has(audio) && audio.currentTime >= stops.get(audio)) audio.pause();
  }

  function follow(player) {
    if (!player.isConnected || !isPlaying(player)) return;
    stopWhenDue(player);
    if (!still.matches) show(player);
    requestAnimationFrame(() => follow(player));
  }

  function mark(player, part) {
    player.classList.toggle('playing', part !== null);
    for (const button of player.querySelectorAll('[data-play]')) {
      button.setAttribute('aria-pressed', String(button.dataset.play === part));
    }
  }

  function moveTo(player, seconds) {
    audioOf(player).currentTime = seconds;
    player.dataset.moved = 'yes';
    show(player);
  }

  // Plays 'all' from where the cursor is, or clip 'a' or 'b' alone from its start; what plays already is paused.
  function toggle(player, part = 'all') {
    const audio = audioOf(player);
    const pressed = player.querySelector(`[data-play="${part}"]`);
    if (!audio.paused && (part === 'all' || pressed.getAttribute('aria-pressed') === 'true')) {
      audio.pause();
      return;
    }
    stops.delete(audio);
    if (part === 'a') {
      moveTo(player, 0);
      stops.set(audio, Number(player.dataset.aEnds));
    } else if (part === 'b') {
      moveTo(player, Number(player.dataset.bStarts));
    } else if (audio.currentTime >= Number(player.dataset.seconds) - CLOCK_STEP / 2) {
      moveTo(player, 0);
    }
    mark(player, part);
    audio.play().catch((error) => {
      if (error.name !== 'AbortError') fail(player);
    });
  }

  function fail(player) {
    mark(player, null);
    player.querySelector('[data-time]').textContent = 'not playable:';
  }

  // Events of media don't bubble; they are caught on their way down.
  function hear(name, action) {
    const listener = (event) => {
      const player = event.target instanceof HTMLMediaElement ? playerOf(event.target) : null;
      if (player) action(player);
    };
    document.addEventListener(name, listener, true);
  }

  hear('play', follow);
  hear('timeupdate', (player) => {
    stopWhenDue(player);
    show(player);
  });
  hear('pause', (player) => {
    mark(player, null);
    show(player);
  });
  hear('error', fail);
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-play]');
    if (button) toggle(playerOf(button), button.dataset.play);
  });
  document.addEventListener('input', (event) => {
    if (!event.target.matches('[data-seek]')) return;
    const player = playerOf(event.target);
    stops.delete(audioOf(player));
    moveTo(player, Number(event.target.value));
  });

  return { toggle, isPlaying };
})();
