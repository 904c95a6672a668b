/* One chart of a page, whose code comes from this server. */

import {hub, whenGone} from "./hub.js";
import {Chart} from "./figure.js";

/** @type {any} Plotly's code has no types of its own. */
const page = globalThis;
const LIBRARY = Symbol.for("caldp.plotly");
/** @type {WeakMap<Element, Chart>} */
const charts = new WeakMap();

/** Plotly's code, once a page; the address is this server's.
    @type {(address: string) => Promise<any>} */
const library = address => page[LIBRARY] ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = new URL(address, page.__streamlit?.BACKEND_BASE_URL ?? location.href).href;
    script.onload = () => done(page.Plotly);
    script.onerror = () => {
        delete page[LIBRARY];
        fail(new Error(`${script.src} did not come`));
    };
    document.head.append(script);
});

/** @param {Chart} chart
    @param {string} address */
async function load(chart, address) {
    chart.use(page.Plotly ?? await library(address));
}

/** @param {Component<[key: string, content: string, address: string]>} component */
export default function mount({data: [key, content, address], parentElement: parent}) {
    const host = parent.querySelector(".chart");
    const chart = charts.get(host) ?? new Chart(host);
    charts.set(host, chart);
    hub.set(key, chart);
    chart.take(content);
    if (!chart.plotly) load(chart, address);
    return whenGone(parent, () => {
        chart.end();
        if (hub.get(key) === chart) hub.delete(key);
    });
}
