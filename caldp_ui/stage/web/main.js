/* The way in. Three small components wait for this code: it comes once a page, data whenever they
   change. `code`: colours and style; `feed`: parcels of blobs and films; `mount`: a scene. */

import {Store, readParcel} from "./codec.js";
import {Stage} from "./stage.js";

const store = new Store(), stages = new Map(), instances = new WeakMap(), parcels = new WeakMap();
const films = new Map();
const hub = globalThis[Symbol.for("caldp.stage")] ??= {};
hub.code ??= new Promise(done => { hub.arrived = done; });
let looks = null;

/** Streamlit also cleans up after a run that a newer one overtook: only what is gone is removed. */
const whenGone = (parent, remove) => () => setTimeout(() => {
    if (!parent.host?.isConnected) remove();
});

function release(parent) {
    const held = parcels.get(parent);
    held?.names.forEach(name => store.drop(name));
    parcels.delete(parent);
    if (!held?.film) return;
    const {stage, film} = held;
    if (films.get(stage)?.get(film.id) === film) films.get(stage).delete(film.id);
    stages.get(stage)?.film.remove(film.id, film.turn);
}

/** A parcel: hold its blobs before those of the one that it replaces are let go. */
function feed({data, parentElement: parent}) {
    const {head, blobs} = readParcel(data);
    for (const [name, packed] of blobs) store.hold(name, packed);
    const before = parcels.get(parent);
    before?.names.forEach(name => store.drop(name));
    parcels.set(parent, {names: [...blobs.keys()], stage: head.stage, film: head.film});
    if (head.film) {
        if (!films.has(head.stage)) films.set(head.stage, new Map());
        films.get(head.stage).set(head.film.id, head.film);
        stages.get(head.stage)?.film.bring(head.film, store);
    }
    return whenGone(parent, () => release(parent));
}

/** A scene: the first one makes the stage, all others change it. */
async function mount({data: [data], parentElement: parent, setTriggerValue}) {
    let stage = instances.get(parent);
    if (!stage) {
        stage = new Stage(parent, looks);
        instances.set(parent, stage);
        parent.adoptedStyleSheets = [looks.sheet];
        stages.set(data.key, stage);
        stage.begins = true;
    }
    stage.teller.emit = setTriggerValue;
    await stage.update(data, store, parent.querySelector(".room"));
    if (stage.begins) {
        stage.begins = false;
        films.get(data.key)?.forEach(film => stage.film.bring(film, store));
    }
    return whenGone(parent, () => {
        stage.destroy();
        if (stages.get(data.key) === stage) stages.delete(data.key);
    });
}

const mapped = (record, change) =>
    Object.fromEntries(Object.entries(record).map(([name, each]) => [name, change(each)]));
const colours = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/** Colours and style, and the signal that the code is there. When the page's theme changes,
    Streamlit calls it again with the same record: it is read only. */
export default function code({data: [{css, styles}]}) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    looks = {
        sheet, styles: mapped(styles, style => ({...style, ramps: mapped(style.ramps, colours)})),
    };
    hub.arrived({feed, mount});
}
