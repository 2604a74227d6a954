"use strict";
// What the server has not confirmed has not happened: each request is repeated until there is a reply.
const stage = document.getElementById("stage");
const status = document.getElementById("status");
const sound = document.getElementById("sound");
const answers = [...document.querySelectorAll(".answer")];
const TOLERANCE_SECONDS = 0.3;
const RETRY_MILLISECONDS = 1000;
// Another tab has gone on, or the session has ended: the first page shows where things are.
const OUT_OF_STEP = [401, 404, 409];
let heardAt = null;
let queue = Promise.resolve();

function say(text, trouble = false) {
  status.textContent = text;
  status.classList.toggle("trouble", trouble);
}

function home() {
  location.replace("/");
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function send(path, body) {
  for (;;) {
    try {
      const reply = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        cache: "no-store",
        credentials: "same-origin",
      });
      if (reply.ok) return true;
      if (OUT_OF_STEP.includes(reply.status)) {
        home();
        return false;
      }
      const { reason } = await reply.json().catch(() => ({ reason: "The server refuses this." }));
      if (reply.status < 500) {
        say(reason, true);
        return false;
      }
      say(`${reason} Trying again…`, true);
    } catch {
      say("There is no connection to the server. Nothing is lost. Trying again…", true);
    }
    await pause(RETRY_MILLISECONDS);
  }
}

// One after the other, so that the server learns of a play before it learns of its end.
function post(path, body) {
  queue = queue.then(() => send(path, body));
  return queue;
}

async function postAndGoHome(path, body) {
  if (await post(path, body)) home();
}

function setPlaying(playing) {
  const button = document.getElementById("play");
  button.setAttribute("aria-disabled", String(playing));
  button.classList.toggle("playing", playing);
  document.getElementById("play-label").textContent = playing ? "Listening…" : "Listen again";
}

function drawSegments() {
  for (const segment of document.querySelectorAll(".segment")) {
    const start = Number(segment.dataset.start);
    const end = Number(segment.dataset.end) || sound.duration || 1;
    const share = Math.min(1, Math.max(0, (sound.currentTime - start) / (end - start)));
    segment.querySelector(".fill").style.width = `${100 * share}%`;
    segment.classList.toggle("now", !sound.paused && sound.currentTime >= start && sound.currentTime < end);
  }
  if (!sound.paused) requestAnimationFrame(drawSegments);
}

function play() {
  if (!sound.paused) return;
  sound.currentTime = 0;
  // Within the press itself: browsers play nothing that nobody asked for.
  sound.play().catch(() => say("The recording can't be played. Reload the page to try again.", true));
  if (stage.dataset.token) post("/play", { token: stage.dataset.token });
}

function wasHeard() {
  let seconds = 0;
  for (let part = 0; part < sound.played.length; part += 1) seconds += sound.played.end(part) - sound.played.start(part);
  return seconds >= sound.duration - TOLERANCE_SECONDS;
}

async function onEnd() {
  if (!wasHeard()) {
    say("Please listen to all of it.");
    return;
  }
  const ended = performance.now();
  if (stage.dataset.token && !("heard" in stage.dataset)) {
    if (!(await post("/heard", { token: stage.dataset.token }))) return;
    stage.dataset.heard = "";
    heardAt = ended;
  }
  if (answers.length) {
    for (const button of answers) button.disabled = false;
    const choices = answers.map((button) => `${button.dataset.answer}, ${button.lastElementChild.textContent.toLowerCase()}`);
    say(`You may answer: ${choices.join("; or ")}.`);
  } else if (stage.dataset.stage === "volume") {
    document.getElementById("next").disabled = false;
    say("Play it again if you like, or go on.");
  }
}

function answer(button) {
  if (button.disabled || answers.some((each) => each.classList.contains("chosen"))) return;
  const seconds = heardAt === null ? null : (performance.now() - heardAt) / 1000;
  button.classList.add("chosen");
  for (const each of answers) each.disabled = each !== button;
  sound.pause();
  say("Saving your answer.");
  postAndGoHome("/answer", { token: stage.dataset.token, answer: button.dataset.answer, seconds });
}

function onKey(event) {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const button = answers.find((each) => each.dataset.answer.toLowerCase() === event.key.toLowerCase());
  if (button) {
    answer(button);
    event.preventDefault();
  } else if (event.key === " " && sound && !(event.target instanceof HTMLButtonElement)) {
    play();
    event.preventDefault();
  }
}

function connect(id, action) {
  document.getElementById(id)?.addEventListener("click", action);
}

if (sound) {
  sound.addEventListener("playing", () => {
    setPlaying(true);
    drawSegments();
  });
  sound.addEventListener("pause", () => setPlaying(false));
  sound.addEventListener("ended", onEnd);
  sound.addEventListener("error", () => say("The recording can't be loaded. Reload the page to try again.", true));
  connect("play", play);
}
for (const button of answers) button.addEventListener("click", () => answer(button));
document.addEventListener("keydown", onKey);
connect("next", () => postAndGoHome("/next", { stage: stage.dataset.stage }));
connect("again", () => postAndGoHome("/next", { stage: stage.dataset.stage, again: true }));
connect("leave", () => postAndGoHome("/leave", {}));
document.getElementById("consent")?.addEventListener("submit", (event) => {
  event.preventDefault();
  postAndGoHome("/begin", { consent: true });
});
