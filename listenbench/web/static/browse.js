'use strict';
// The list of items: filters, items that are loaded while they are near the window, keys.
//
// Items stand in groups. A group far from the window is an empty box as high as its items would be; near it,
// the box is filled, and each item's script hands over what it shows by calling `listenbench.receive`.
const listenbench = (() => {
  const GROUP = 6;
  const FILTERS = ['task', 'rung', 'condition', 'factor', 'texture'];
  const form = document.getElementById('filters');
  const feed = document.getElementById('feed');
  const count = document.getElementById('count');
  const listing = (JSON.parse(document.getElementById('listing').textContent).items || []).map(
    ([name, task, rung, texture, recordings], number) => ({
      number, name, task, rung, texture,
      recordings: recordings.map(([id, condition, factor]) => ({ id, condition, factor })),
    }),
  );

  let wanted = {};
  let shown = [];
  let groups = [];
  let chosen = null;
  const received = new Map();
  const opened = new Map();

  // ---- Filters

  const matchesItem = (item, field) => !wanted[field] || item[field] === wanted[field];
  const matchesRecording = (recording, field) => !wanted[field] || recording[field] === wanted[field];

  function matchesSearch(item) {
    const text = wanted.search;
    return !text || item.name.toLowerCase().includes(text) || item.recordings.some((r) => r.id.includes(text));
  }

  function matches(item, ignored) {
    return (
      matchesSearch(item)
      && ['task', 'rung', 'texture'].every((field) => field === ignored || matchesItem(item, field))
      && item.recordings.some((recording) =>
        ['condition', 'factor'].every((field) => field === ignored || matchesRecording(recording, field)))
    );
  }

  // The values that an item would be found under if one filter were set to any of them.
  function valuesOf(item, field) {
    if (field in item) return [item[field]];
    const other = field === 'condition' ? 'factor' : 'condition';
    return new Set(item.recordings.filter((r) => matchesRecording(r, other)).map((r) => r[field]));
  }

  function countValues() {
    for (const field of FILTERS) {
      const counts = new Map();
      for (const item of listing) {
        if (!matches(item, field)) continue;
        for (const value of valuesOf(item, field)) counts.set(value, (counts.get(value) || 0) + 1);
      }
      for (const option of form.elements[field]?.options || []) {
        if (!option.value) continue;
        const number = counts.get(option.value) || 0;
        option.textContent = `${option.value} (${number.toLocaleString('en')})`;
        option.disabled = number === 0 && option.value !== wanted[field];
      }
    }
  }

  function readForm() {
    wanted = { search: form.elements.search.value.trim().toLowerCase() };
    for (const field of FILTERS) wanted[field] = form.elements[field]?.value || '';
  }

  function filter() {
    readForm();
    shown = listing.filter((item) => matches(item));
    const of = shown.length === listing.length ? '' : ` of ${listing.length.toLocaleString('en')}`;
    const noun = listing.length === 1 ? 'item' : 'items';
    count.textContent = shown.length ? `${shown.length.toLocaleString('en')}${of} ${noun}` : 'No item matches.';
    countValues();
    build();
  }

  // ---- The address: filters and item after the '#', so that a view can be passed on

  function addressOfView(item) {
    const parameters = new URLSearchParams();
    for (const [field, value] of Object.entries(wanted)) if (value) parameters.set(field, value);
    if (item) parameters.set('item', item);
    return `#${parameters}`;
  }

  function noteAddress() {
    if (location.hash !== addressOfView() && (location.hash || addressOfView() !== '#')) {
      location.replace(addressOfView());
    }
  }

  function readAddress() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    for (const field of [...FILTERS, 'search']) {
      if (form.elements[field]) form.elements[field].value = parameters.get(field) || '';
    }
    filter();
    const place = shown.findIndex((item) => item.name === parameters.get('item'));
    if (place >= 0) goTo(place);
  }

  // ---- Groups

  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const group = groups[entry.target.dataset.group];
      if (!group || group.element !== entry.target) continue;
      if (entry.isIntersecting) fill(group);
      else empty(group);
    }
  }, { rootMargin: '100% 0px' });

  function build() {
    observer.disconnect();
    groups = [];
    for (let first = 0; first < shown.length; first += GROUP) {
      const element = document.createElement('div');
      const size = Math.min(GROUP, shown.length - first);
      element.className = 'group';
      element.dataset.group = groups.length;
      element.style.setProperty('--items', size);
      groups.push({ element, first, size, filled: false });
    }
    feed.replaceChildren(...groups.map((group) => group.element));
    groups.forEach((group) => observer.observe(group.element));
  }

  function fill(group) {
    if (group.filled) return;
    group.filled = true;
    const items = shown.slice(group.first, group.first + group.size);
    group.element.replaceChildren(...items.map((item, place) => articleOf(item, group.first + place)));
    group.element.style.minHeight = '';
    group.element.classList.add('filled');
    items.forEach(load);
  }

  function empty(group) {
    const busy = group.element.contains(document.activeElement) || group.element.querySelector('.playing');
    if (!group.filled || busy) return;
    group.filled = false;
    group.element.style.minHeight = `${group.element.offsetHeight}px`;
    for (const item of shown.slice(group.first, group.first + group.size)) received.delete(item.number);
    group.element.classList.remove('filled');
    group.element.replaceChildren();
  }

  function made(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function articleOf(item, place) {
    const link = made('a', { href: addressOfView(item.name), textContent: item.name });
    const heading = made('h2', { id: `item-${item.number}` }, link);
    const facts = made('p', { className: 'kind' });
    for (const text of [item.task, item.rung, item.texture]) facts.append(made('span', { textContent: text }));
    const head = made('header', {}, heading, facts);
    if (form.elements.answers) {
      const button = made('button', { type: 'button', className: 'reveal' });
      button.addEventListener('click', () => reveal(item, !isOpen(item)));
      head.append(button);
    }
    const body = made('div', { className: 'body' });
    const article = made('article', { className: 'item', tabIndex: 0 }, head, body);
    article.dataset.number = item.number;
    article.setAttribute('aria-labelledby', heading.id);
    article.setAttribute('aria-posinset', place + 1);
    article.setAttribute('aria-setsize', shown.length);
    dress(article);
    return article;
  }

  const articleNumbered = (number) => feed.querySelector(`article[data-number="${number}"]`);

  function load(item) {
    const html = received.get(item.number);
    if (html !== undefined) {
      receive(item.number, html);
      return;
    }
    const script = made('script', { src: `items/${item.number}.js` });
    script.addEventListener('load', () => script.remove());
    script.addEventListener('error', () => {
      script.remove();
      const body = articleNumbered(item.number)?.querySelector('.body');
      body?.replaceChildren(made('p', { className: 'problem', textContent: 'This item could not be loaded.' }));
    });
    document.head.append(script);
  }

  // Called by the script of an item. Its text is HTML that listenbench has escaped.
  function receive(number, html) {
    const article = articleNumbered(number);
    if (!article) return;
    received.set(number, html);
    article.querySelector('.body').innerHTML = html;
    dress(article);
  }

  // Brings an item in line with filters and choices.
  function dress(article) {
    const item = listing[article.dataset.number];
    const open = isOpen(item);
    article.classList.toggle('revealed', open);
    const button = article.querySelector('.reveal');
    if (button) {
      button.textContent = open ? 'Hide answer' : 'Show answer';
      button.setAttribute('aria-label', `${button.textContent} of ${item.name}`);
      button.setAttribute('aria-expanded', String(open));
    }
    for (const answer of article.querySelectorAll('[data-answer]')) answer.hidden = !open;
    for (const column of article.querySelectorAll('.column')) {
      column.hidden = Boolean(wanted.condition) && column.dataset.condition !== wanted.condition;
    }
    markChosen(article);
  }

  // ---- Answers

  const isOpen = (item) => opened.get(item.number) ?? Boolean(form.elements.answers?.checked);

  function reveal(item, open) {
    opened.set(item.number, open);
    const article = articleNumbered(item.number);
    if (article) dress(article);
  }

  // ---- The item at hand, and the recording chosen in it

  function articleAtHand() {
    const focused = document.activeElement?.closest('article.item');
    if (focused) return focused;
    const top = form.getBoundingClientRect().bottom;
    return [...feed.querySelectorAll('article.item')].find(
      (article) => article.getBoundingClientRect().bottom > Math.max(top, 0) + 40) || null;
  }

  function goTo(place) {
    const group = groups[Math.floor(place / GROUP)];
    if (!group) return;
    fill(group);
    const article = articleNumbered(shown[place].number);
    article.scrollIntoView({ block: 'start' });
    article.focus({ preventScroll: true });
    markChosen(article);
  }

  function step(by) {
    const focused = document.activeElement?.closest('article.item');
    const article = articleAtHand();
    if (!article) return;
    const place = Number(article.getAttribute('aria-posinset')) - 1;
    const next = focused ? place + by : place;
    goTo(Math.max(0, Math.min(shown.length - 1, next)));
  }

  const columnsOf = (article) => [...article.querySelectorAll('.column:not([hidden])')];

  function chosenColumn(article) {
    const columns = columnsOf(article);
    return columns.find((column) => column.dataset.condition === chosen) || columns[0];
  }

  function markChosen(article) {
    for (const column of feed.querySelectorAll('.column.chosen')) column.classList.remove('chosen');
    const atHand = document.activeElement?.closest('article.item') || article;
    chosenColumn(atHand)?.classList.add('chosen');
  }

  function choose(by) {
    const article = articleAtHand();
    if (!article) return;
    const columns = columnsOf(article);
    const place = columns.indexOf(chosenColumn(article));
    chosen = columns[Math.max(0, Math.min(columns.length - 1, place + by))]?.dataset.condition || null;
    markChosen(article);
  }

  function play(part) {
    const article = articleAtHand();
    const player = article && chosenColumn(article)?.querySelector('[data-player]');
    if (player) listenbenchPlayer.toggle(player, part);
  }

  // ---- Keys

  const KEYS = {
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    ArrowLeft: () => choose(-1),
    ArrowRight: () => choose(1),
    ' ': () => play('all'),
    a: () => play('a'),
    b: () => play('b'),
    s: () => {
      const article = articleAtHand();
      if (article?.querySelector('.reveal')) article.querySelector('.reveal').click();
    },
    '/': () => form.elements.search.focus(),
  };

  // Whether an element needs a key for itself: fields all but the slider's letters, buttons the space bar.
  function isTaken(key, target) {
    if (target.matches('[data-seek]')) return key.startsWith('Arrow');
    if (target.matches('input[type="checkbox"], button, summary, a')) return key === ' ';
    if (target.matches('.scroll')) return key.startsWith('Arrow');
    return target.matches('input, select, textarea');
  }

  document.addEventListener('keydown', (event) => {
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.key, event.target)) return;
    event.preventDefault();
    action();
  });

  feed.addEventListener('focusin', (event) => {
    const column = event.target.closest('.column');
    if (column) chosen = column.dataset.condition;
    const article = event.target.closest('article.item');
    if (article) markChosen(article);
  });

  // ---- Start

  // Items come to lie below the bar of filters, which is as high as its lines.
  new ResizeObserver(() => {
    const high = getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
    feed.style.setProperty('--bar', `${high}px`);
  }).observe(form);

  const changed = () => {
    filter();
    noteAddress();
    if (feed.getBoundingClientRect().top < form.getBoundingClientRect().bottom - 1) feed.scrollIntoView();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    goTo(0);
  });
  form.addEventListener('input', (event) => {
    if (event.target.type === 'checkbox') return;
    changed();
  });
  form.addEventListener('change', (event) => {
    if (event.target.name === 'rolls') feed.classList.toggle('without-rolls', !event.target.checked);
    if (event.target.name !== 'answers') return;
    opened.clear();
    feed.querySelectorAll('article.item').forEach(dress);
  });
  form.addEventListener('reset', () => setTimeout(() => {
    feed.classList.remove('without-rolls');
    opened.clear();
    changed();
  }));
  window.addEventListener('hashchange', () => {
    if (location.hash !== addressOfView()) readAddress();
  });
  readAddress();

  return { receive };
})();
