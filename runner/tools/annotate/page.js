"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const base = "compeer annotate " + page.file + " " + page.purpose;
  const key = (name) => base + " of " + name;
  const steps = ["history", "emotion", "strategy"];
  const find = (id) => document.getElementById(id);
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    return made;
  };

  // An annotator's answers by item: steps[candidate][step] and preference, in the order of page.items. The browser stores
  // one such object for each name, and the last name.
  const fresh = (name) => ({ annotator: name, at: 0, keys: true, answers: {} });
  let state = fresh(page.annotator);

  // Returns a generator of numbers in [0, 1), seeded by a text (FNV-1a, then mulberry32).
  function draws(text) {
    let now = 2166136261;
    for (const letter of text) now = Math.imul(now ^ letter.codePointAt(0), 16777619);
    return () => {
      now = (now + 0x6d2b79f5) | 0;
      let mixed = Math.imul(now ^ (now >>> 15), now | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }

  // Draws the order of the items, and which of them have their replies reversed. A page made for one annotator is
  // already in order.
  let order = [], turned = [];
  function arrange() {
    order = page.items.map((_, at) => at);
    turned = page.items.map(() => false);
    if (page.annotator) return;
    const uniform = draws(page.file + state.annotator);
    for (let i = order.length - 1; i > 0; --i) {
      const other = Math.floor(uniform() * (i + 1));
      [order[i], order[other]] = [order[other], order[i]];
    }
    turned = page.items.map(() => uniform() < 0.5);
  }

  function load(name) {
    let kept = null;
    state = fresh(name);
    try {
      kept = JSON.parse(localStorage.getItem(key(name)));
    } catch {
      warn("The answers that this browser stored can't be read, so you start without answers.");
    }
    if (kept && kept.answers) state = Object.assign(state, kept);
    state.at = Math.min(state.at, page.items.length - 1);
  }

  function lastName() {
    try {
      return localStorage.getItem(base) || "";
    } catch {
      return "";
    }
  }

  function save() {
    try {
      localStorage.setItem(base, state.annotator);
      localStorage.setItem(key(state.annotator), JSON.stringify(state));
    } catch {
      warn("This browser does not store the answers. Export them before you close the page.");
    }
  }

  function warn(text) { find("alert").textContent = text; }

  const item = () => page.items[order[state.at]];
  const blank = ({ candidates }) => ({ steps: candidates.map(() => [null, null, null]), preference: null });
  const answers = (of) => (Object.hasOwn(state.answers, of.item) ? state.answers[of.item] : blank(of));
  const place = (side) => (turned[order[state.at]] ? 1 - side : side);

  // The questions of the item in page order: three steps for each candidate, then which reply is better. A record with
  // one candidate compares its reply with the reference, and has one set of steps.
  let questions = [];
  const alone = () => item().candidates.length === 1;
  const bare = () => item().candidates.length === 0;  // two replies without steps

  function stepQuestion(of, title, step, at) {
    return {
      title: title(step[0].toUpperCase() + step.slice(1)), text: item().candidates[of][step],
      options: [["True", "t", true], ["False", "f", false]],
      read: (given) => given.steps[of][at],
      write: (given, value) => { given.steps[of][at] = value; },
    };
  }

  const preferenceQuestion = {
    title: "Which reply is better?", text: "",
    options: [["A is better", "1", 0], ["B is better", "2", 1], ["Both good", "3", "both good"], ["Neither", "4", "neither"]],
    read: (given) => {
      const side = ["first", "second"].indexOf(given.preference);
      return side < 0 ? given.preference : place(side);
    },
    write: (given, value) => {
      given.preference = typeof value === "number" ? ["first", "second"][place(value)] : value;
    },
  };

  function ask() {
    const sides = bare() ? [] : alone() ? [[0, (step) => step]]
      : [[place(0), (step) => step + " (A)"], [place(1), (step) => step + " (B)"]];
    questions = sides.flatMap(([of, title]) => steps.map((step, at) => stepQuestion(of, title, step, at)));
    questions.push(preferenceQuestion);
  }

  const given = () => answers(item());
  const open = (of) => questions.findIndex((question) => question.read(of) === null);
  const done = (one) => {
    const of = answers(one);
    return of.preference !== null && of.steps.flat().every((step) => step !== null);
  };

  function answer(number, value) {
    const of = given();
    questions[number].write(of, value);
    Object.defineProperty(state.answers, item().item, { value: of, writable: true, enumerable: true, configurable: true });
    warn("");
    save();
    showProgress();
  }

  function fieldset(number) {
    const { title, text, options, read } = questions[number];
    const set = element("fieldset", "", { "data-question": number });
    set.append(element("legend", title));
    if (text) set.append(element("p", text, { lang: item().language, dir: "auto" }));
    const choices = element("div", "", { class: "options" });
    options.forEach(([name, shortcut, value]) => {
      const label = element("label");
      const input = element("input", "", { type: "radio", name: "question" + number, value: name });
      input.checked = read(given()) === value;
      input.addEventListener("change", () => answer(number, value));
      label.append(input, name + " ", element("kbd", shortcut));
      choices.append(label);
    });
    set.append(choices);
    return set;
  }

  function section(id, title, from) {
    const made = element("section", "", { "aria-labelledby": id });
    made.append(element("h3", title, { id }));
    if (from >= 0) made.append(...steps.map((step, at) => fieldset(from + at)));
    return made;
  }

  function reply(side) {
    const made = section("reply" + side, "Reply " + "AB"[side], alone() || bare() ? -1 : side * 3);
    if (!alone() && !bare()) made.append(element("p", "Supporter's reply " + "AB"[side], { class: "said-by" }));
    made.append(element("p", item().replies[place(side)], { class: "said", lang: item().language, dir: "auto" }));
    return made;
  }

  function reasoning() {
    const made = section("reasoning", "Thoughts about the next reply", 0);
    made.className = "whole";
    return made;
  }

  function showProgress() {
    const finished = page.items.filter(done).length;
    find("progress").max = page.items.length;
    find("progress").value = finished;
    find("count").textContent = finished + " of " + page.items.length + " judged";
    find("status").textContent = done(item()) ? "This item is judged." : "";
    find("unfinished").disabled = finished === page.items.length;
  }

  function show(focus) {
    ask();
    const names = { user: "Seeker", assistant: "Supporter", system: "Setting" };
    find("place").textContent = "Item " + (state.at + 1) + " of " + page.items.length;
    find("history").replaceChildren(...item().history.map(({ role, text, pictures = [] }) => {
      const turn = element("div");
      const said = element("dd", "", { lang: item().language, dir: "auto" });
      said.append(...pictures.map((src) => element("img", "", { src, alt: "Picture of this message" })), text);
      turn.append(element("dt", Object.hasOwn(names, role) ? names[role] : role), said);
      return turn;
    }));
    find("history").scrollTop = find("history").scrollHeight;
    find("replies").replaceChildren(...(alone() ? [reasoning()] : []), reply(0), reply(1));
    find("choice").replaceChildren(fieldset(questions.length - 1));
    find("previous").disabled = state.at === 0;
    find("next").disabled = state.at === page.items.length - 1;
    showProgress();
    if (focus) find("place").focus();
  }

  function go(to) {
    if (to < 0 || to >= page.items.length) return;
    state.at = to;
    save();
    scrollTo(0, 0);
    show(true);
  }

  function goUnfinished() {
    for (let i = 1; i <= page.items.length; ++i) {
      const at = (state.at + i) % page.items.length;
      if (!done(page.items[order[at]])) return go(at);
    }
  }

  // The focused question is the one that keys answer.
  function current() {
    const set = document.activeElement.closest("[data-question]");
    return set ? Number(set.dataset.question) : -1;
  }

  function focusQuestion(number) {
    const inputs = [...document.querySelectorAll(`[data-question="${number}"] input`)];
    (inputs.find((input) => input.checked) || inputs[0]).focus({ focusVisible: true });
  }

  function answerWithKey(number, pressed) {
    const at = number < 0 ? -1 : questions[number].options.findIndex(([, shortcut]) => shortcut === pressed);
    if (at < 0) return;
    document.querySelectorAll(`[data-question="${number}"] input`)[at].checked = true;
    answer(number, questions[number].options[at][2]);
    const after = questions.findIndex((question, other) => other > number && question.read(given()) === null);
    const next = after < 0 ? open(given()) : after;
    if (next >= 0) return focusQuestion(next);
    const on = [find("next"), find("unfinished"), find("export")].find((button) => !button.disabled);
    on.focus({ focusVisible: true });
  }

  function move(by) {
    const from = current();
    if (from < 0) return focusQuestion(by > 0 ? Math.max(open(given()), 0) : questions.length - 1);
    focusQuestion(Math.min(Math.max(from + by, 0), questions.length - 1));
  }

  function exported() {
    return page.items.filter(done).map((one) => JSON.stringify({
      file: page.file, item: one.item, annotator: state.annotator, ...answers(one),
    }) + "\n");
  }

  function download() {
    if (!find("annotator").value.trim()) {
      warn("Enter your name before you export.");
      return find("annotator").focus();
    }
    const lines = exported();
    const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    const name = state.annotator.replace(/[^\p{L}\p{N}_-]+/gu, "-");
    element("a", "", { href: url, download: page.name + "-" + name + ".jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    const left = page.items.length - lines.length;
    find("status").textContent = "Exported: " + lines.length + (left ? ". Not judged yet: " + left : ". All items are judged");
  }

  const commands = {
    n: () => go(state.at + 1), p: () => go(state.at - 1), u: goUnfinished, e: download, j: () => move(1), k: () => move(-1),
  };

  document.addEventListener("keydown", (event) => {
    if (!state.annotator || !state.keys || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
    if (event.target === find("annotator")) return;
    const pressed = event.key.toLowerCase();
    if (Object.hasOwn(commands, pressed)) commands[pressed]();
    else if ("1234".includes(pressed)) answerWithKey(questions.length - 1, pressed);
    else if (pressed === "t" || pressed === "f") answerWithKey(current() < 0 ? open(given()) : current(), pressed);
    else return;
    event.preventDefault();
  });

  // Another tab has stored answers: continue from them.
  addEventListener("storage", (event) => {
    if (event.key !== key(state.annotator) || !event.newValue) return;
    const { at } = state;
    load(state.annotator);
    state.at = at;
    begin();
  });

  // Nothing is shown before the annotator is known.
  function begin() {
    document.querySelector("main").hidden = document.querySelector("nav").hidden = !state.annotator;
    find("ask").hidden = state.annotator !== "";
    if (!state.annotator) return;
    arrange();
    show(false);
  }

  // Answers of another annotator are neither used nor shown.
  function change(name) {
    const before = state.annotator, answered = Object.keys(state.answers).length;
    if (!name || name === before) return;
    load(name);
    save();
    begin();
    if (before && answered) warn("The answers of " + before + " stay with that name: enter it again to continue them.");
  }

  load(page.annotator || lastName());
  find("annotator").value = state.annotator;
  find("annotator").readOnly = page.annotator !== "";
  find("annotator").addEventListener("input", () => warn(""));
  find("annotator").addEventListener("change", () => change(find("annotator").value.trim()));
  find("keys-on").checked = state.keys;
  find("keys-on").addEventListener("change", () => {
    state.keys = find("keys-on").checked;
    save();
  });
  find("previous").addEventListener("click", commands.p);
  find("next").addEventListener("click", commands.n);
  find("unfinished").addEventListener("click", commands.u);
  find("export").addEventListener("click", commands.e);
  const reasoned = page.items.some(({ candidates }) => candidates.length > 0);
  document.querySelectorAll(".of-steps").forEach((part) => { part.hidden = !reasoned; });
  begin();
})();
