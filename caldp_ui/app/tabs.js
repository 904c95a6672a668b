// The tabs: real links, so that they open in a new tab and say where they lead. A plain click presses
// the same link of Streamlit's own menu, which is there unseen: it changes the page at once, keeps the
// visit, and leaves one step in the browser's history (`st.switch_page`, asked for if there is no such
// link, leaves two). Groups are <details>: the keyboard opens them.

/** @template {keyof HTMLElementTagNameMap} Tag
    @param {Tag} tag
    @param {Record<string, string>} attributes
    @param {...(Node | string)} children
    @returns {HTMLElementTagNameMap[Tag]} */
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** @type {(page: Message.TabGroup["pages"][0]) => Element} */
const link = ([address, title, here, purpose]) => {
  const current = here && { "aria-current": "page" }, hint = purpose && { title: purpose };
  return make("li", {}, make("a", { href: address, ...current, ...hint }, title));
};

/** @type {(pages: Message.TabGroup["pages"]) => Element} */
const list = pages => make("ul", {}, ...pages.map(link));

/** @type {(group: Message.TabGroup) => boolean} */
const isOpen = group => group.pages.some(page => page[2]);

/** @param {Message.TabGroup} group */
function wideMenu(group) {
  if (!group.title) return make("div", { class: "alone" }, list(group.pages));
  if (isOpen(group)) {
    const name = make("span", { class: "name", id: "open-group" }, group.title);
    const pages = list(group.pages);
    pages.setAttribute("aria-labelledby", "open-group");
    return make("div", { class: "open" }, name, pages);
  }
  return make("details", { class: "closed" }, make("summary", {}, group.title), list(group.pages));
}

/** @param {Message.TabGroup[]} groups */
function narrowMenu(groups) {
  const here = groups.flatMap(group => group.pages).find(page => page[2]);
  const summary = make("summary", {}, make("span", { class: "hidden" }, "All pages. You are at "), here?.[1] ?? "Pages");
  const sections = groups.flatMap(group => [
    ...(group.title ? [make("p", {}, group.title)] : []),
    list(group.pages),
  ]);
  return make("details", { class: "narrow" }, summary, make("div", { class: "all" }, ...sections));
}

const ASK_MAX = 5, ASK_MS = 3000;

/** Ask for a run of the page in each new theme: Streamlit leaves charts as they are.
    @param {HTMLElement} nav whose data-theme is the theme in which the page was drawn last
    @param {(theme: string) => void} ask
    @returns {() => void} what ends it */
function followTheme(nav, ask) {
  const app = /** @type {Element} */ (document.querySelector("[data-testid=stApp]"));
  let again = 0;
  /** @param {number} left */
  const askUntilDrawn = left => {
    clearTimeout(again);
    const shown = getComputedStyle(app).colorScheme;
    if (!left || !nav.isConnected || nav.dataset.theme === shown) return;
    ask(shown);
    again = setTimeout(askUntilDrawn, ASK_MS, left - 1);
  };
  const changes = new MutationObserver(() => askUntilDrawn(ASK_MAX));
  changes.observe(app, { attributeFilter: ["class"] });
  askUntilDrawn(ASK_MAX);
  return () => {
    clearTimeout(again);
    changes.disconnect();
  };
}

/** @param {Component<[Message.TabGroup[], string]>} component */
export default component => {
  const { parentElement, data, setTriggerValue } = component;
  const nav = parentElement.querySelector("nav");
  const [groups, theme] = data;
  const groupsText = JSON.stringify(groups);
  if (nav.dataset.groups !== groupsText) {
    const wide = make("div", { class: "wide" }, ...groups.map(wideMenu));
    nav.replaceChildren(wide, narrowMenu(groups));
    nav.dataset.groups = groupsText;
  }
  /** @type {() => HTMLDetailsElement[]} */
  const menus = () => Array.from(nav.querySelectorAll("details[open]"));
  /** @type {(exception: Element | null | undefined) => void} */
  const closeOthers = exception =>
    menus().forEach(menu => { if (menu !== exception) menu.open = false; });
  /** @type {(event: MouseEvent) => void} */
  const onClick = event => {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    const anchor = target.closest?.("a");
    closeOthers(target.closest?.("details"));
    if (!anchor || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    closeOthers(null);
    if (anchor.hasAttribute("aria-current")) return;
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll("[data-testid=stSidebarNavLink]");
    const menuLink = [...links].find(each => each.href === anchor.href);
    if (menuLink) menuLink.click();
    else setTriggerValue("go", anchor.getAttribute("href"));
  };
  /** @type {(event: KeyboardEvent) => void} */
  const onKey = event => {
    const [menu] = menus();
    if (event.key !== "Escape" || !menu) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.stopPropagation();
  };
  /** @type {(event: Event) => void} */
  const onOutside = event => { if (!event.composedPath().includes(nav)) closeOthers(null); };
  nav.addEventListener("click", onClick);
  nav.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", onOutside);
  nav.dataset.theme = theme;
  const stopFollowing = followTheme(nav, shown => setTriggerValue("theme", shown));
  return () => {
    stopFollowing();
    nav.removeEventListener("click", onClick);
    nav.removeEventListener("keydown", onKey);
    document.removeEventListener("pointerdown", onOutside);
  };
};
