// What pages.py asks a page in a browser: its picture as a text, and how soon a key makes it new.

/**
 * The first text that a function gives for a shadow root in the container of a key.
 * @param {string} key
 * @param {(root: ShadowRoot) => string} text
 */
function textInShadow(key, text) {
    const hosts = [...document.querySelectorAll(`.st-key-${key} *`)];
    return hosts.map(host => host.shadowRoot && text(host.shadowRoot)).find(Boolean);
}

/** @type {Record<string, (key: string) => string | null | undefined>} */
const PICTURES = {
    // How often the stage has painted what came, and the step of a film that it shows.
    stage: key => textInShadow(key, root => {
        const stage = root.querySelector('.stage');
        const {painted = '', step = ''} = stage instanceof HTMLElement ? stage.dataset : {};
        return `${painted} ${step}`.trim();
    }),
    component: key => textInShadow(key, root => root.innerHTML),
    chart: key => document.querySelector(`.st-key-${key} .js-plotly-plot`)?.innerHTML,
    trust: key => document.querySelector(`.st-key-${key} .trust`)?.innerHTML,
    plain: () => document.querySelector('[data-testid=stImage] img')?.getAttribute('src'),
};

const measured = Object.assign(window, {
    /** Sum of the shifts of the layout so far. */
    shift: 0,
    /** @type {number | null} Milliseconds from the key to a new picture; null before it is there. */
    redrawn: null,
    /** @param {string} kind @param {string} key */
    pictureText: (kind, key) => PICTURES[kind]?.(key) ?? '',
    /** @param {() => string} picture */
    timeNextKey: picture => {
        const before = picture();
        measured.redrawn = null;
        addEventListener('keydown', () => {
            const pressed = performance.now();
            const look = () => {
                const now = picture();
                if (now && now !== before) measured.redrawn = performance.now() - pressed;
                else requestAnimationFrame(look);
            };
            look();
        }, {once: true, capture: true});
    },
});

new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
        const {hadRecentInput, value} =
            /** @type {PerformanceEntry & {hadRecentInput: boolean, value: number}} */ (entry);
        if (!hadRecentInput) measured.shift += value;
    }
}).observe({type: 'layout-shift', buffered: true});
