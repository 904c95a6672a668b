/* The way in. Three small components wait for this code: it comes once a page, data whenever they
   change. `code`: colours and style; `feed`: parcels of blobs and films; `mount`: a scene. */

import {Store, readParcel} from "./codec.js";
import {Stage} from "./stage.js";

/** @import {FilmHead} from "./film.js"
    @import {Style} from "./styles.js"
    @typedef {ShadowRoot | {host: Element}} Parent */

const store = new Store();
/** @type {Map<string, Stage>} */
const stages = new Map();
/** @type {WeakMap<Parent, Stage>} */
const instances = new WeakMap();
/** @type {WeakMap<Parent, {names: string[], stage?: string, film?: FilmHead}>} */
const parcels = new WeakMap();
/** @type {Map<string | undefined, Map<string, FilmHead>>} */
const films = new Map();
/** @type {{code?: Promise<unknown>, resolve?: (code: unknown) => void}} */
const hub = /** @type {any} */ (globalThis)[Symbol.for("caldp.stage")] ??= {};
hub.code ??= new Promise(done => { hub.resolve = done; });
/** @type {{sheet: CSSStyleSheet, styles: Record<"dark" | "light", Style>}} */
let looks;

/** Streamlit also cleans up after a run that a newer one overtook: only what is gone is removed.
    @type {(parent: Parent, remove: () => void) => () => void} */
const whenGone = (parent, remove) => () => setTimeout(() => {
    if (!parent.host?.isConnected) remove();
});

/** @param {Parent} parent */
function release(parent) {
    const parcel = parcels.get(parent);
    parcel?.names.forEach(name => store.drop(name));
    parcels.delete(parent);
    if (!parcel?.film) return;
    const {stage, film} = parcel;
    const stageFilms = films.get(stage);
    if (stageFilms?.get(film.id) === film) stageFilms.delete(film.id);
    stages.get(stage ?? "")?.film.remove(film.id, film.turn);
}

/** A parcel: hold its blobs before those of the one that it replaces are let go.
    @param {{data: Uint8Array, parentElement: Parent}} component */
export function feed({data, parentElement: parent}) {
    const {head, blobs} = readParcel(data);
    for (const [name, packed] of blobs) store.hold(name, packed);
    const previous = parcels.get(parent);
    previous?.names.forEach(name => store.drop(name));
    parcels.set(parent, {names: [...blobs.keys()], stage: head.stage, film: head.film});
    if (head.film) {
        const stageFilms = films.get(head.stage) ?? new Map();
        films.set(head.stage, stageFilms.set(head.film.id, head.film));
        stages.get(head.stage ?? "")?.film.receive(head.film, store);
    }
    return whenGone(parent, () => release(parent));
}

/** A scene: the first one makes the stage, all others change it.
    @param {Component<[Message.Scene]>} component */
export async function mount({data: [data], parentElement: parent, setTriggerValue}) {
    let stage = instances.get(parent);
    if (!stage) {
        stage = new Stage(parent, looks);
        instances.set(parent, stage);
        parent.adoptedStyleSheets = [looks.sheet];
        stages.set(data.key, stage);
    }
    stage.outbox.emit = setTriggerValue;
    await stage.update(data, store, /** @type {Element} */ (parent.querySelector(".room")));
    if (stage.isNew) {
        stage.isNew = false;
        films.get(data.key)?.forEach(film => stage.film.receive(film, store));
    }
    return whenGone(parent, () => {
        stage.destroy();
        if (stages.get(data.key) === stage) stages.delete(data.key);
    });
}

/** @template From, To
    @param {Record<string, From>} record
    @param {(each: From) => To} change
    @returns {Record<string, To>} */
const mapValues = (record, change) =>
    Object.fromEntries(Object.entries(record).map(([name, each]) => [name, change(each)]));
/** @type {(text: string) => Uint8Array} */
const colours = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/** Colours and style, and the signal that the code is there. When the page's theme changes,
    Streamlit calls it again with the same record: it is read only.
    @param {{data: [Message.Looks]}} component */
export default function code({data: [{css, styles}]}) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    /** @type {(style: Message.Looks["styles"]["dark"]) => Style} */
    const read = style => ({...style, ramps: mapValues(style.ramps, colours)});
    looks = {sheet, styles: {dark: read(styles.dark), light: read(styles.light)}};
    hub.resolve?.({feed, mount});
}
