/* A figure drawn by Plotly, on pages and in files: new numbers go into what is there, so nothing is
   taken down and put up. */

import {Picture} from "./hub.js";
import {fitFigure} from "./narrow.js";

/** @typedef {any} Layout Of a Plotly figure. */

const FULL = {
    name: "full-screen",
    title: "Full screen",
    icon: {width: 24, height: 24, path: "M3 3h7v2H5v5H3zM14 3h7v7h-2V5h-5zM3 14h2v5h5v2H3zM19 14h2v7h-7v-2h5z"},
    /** @type {(host: Element) => Promise<void>} */
    click: host => document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen(),
};
// By itself Plotly offers to send a chart to its makers' server.
const OPTIONS = {displaylogo: false, showSendToCloud: false, plotlyServerURL: "",
    modeBarButtonsToAdd: [FULL], modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"]};

/** What a figure leaves open, in the letters and colours of the page.
    @param {Element} host */
function template(host) {
    const style = getComputedStyle(host);
    /** @type {(name: string) => string} */
    const themeValue = name => style.getPropertyValue(`--st-${name}`).trim();
    const font = {family: themeValue("font"), color: themeValue("text-color"), size: 12};
    const [ground, line] = [themeValue("background-color"), themeValue("border-color")];
    const axis = {automargin: true, gridcolor: line, zerolinecolor: line, tickcolor: line};
    /** @type {(standoff: number) => object} */
    const titleAt = standoff => ({title: {font: {size: 14}, standoff}});
    return {layout: {
        font,
        paper_bgcolor: ground,
        plot_bgcolor: ground,
        title: {x: 0, pad: {l: 4}, font: {family: themeValue("heading-font"), size: 16}},
        margin: {l: 0, r: 0, pad: 8},
        xaxis: {...axis, ...titleAt(20), showgrid: false, zeroline: false},
        yaxis: {...axis, ...titleAt(24)},
        hoverlabel: {bgcolor: ground, bordercolor: line, font},
        // A column leaves titles and names of lines free.
        modebar: {orientation: "v", bgcolor: "transparent", color: themeValue("text-color"), activecolor: themeValue("primary-color")},
    }};
}

export class Chart extends Picture {
    /** @type {any} Plotly's code, which has no types of its own; once it is there. */
    plotly;
    /** @type {number | undefined} Of what is drawn. */
    width;

    /** @param {HTMLElement} host */
    constructor(host) {
        super(content => this.plot(content));
        this.host = host;
        this.resizeObserver = new ResizeObserver(() => {
            if (host.clientWidth !== this.width) this.redraw();
        });
        this.resizeObserver.observe(host);
    }

    /** Draw with Plotly's code, from now on.
        @param {any} plotly */
    use(plotly) {
        this.plotly = plotly;
        this.show();
    }

    redraw() {
        this.drawnContent = null;
        this.show();
    }

    /** @param {string} content */
    plot(content) {
        const {host, plotly} = this, {clientWidth: width} = host;
        if (!plotly || !width) return false;
        this.width = width;
        const {data, layout, alt} = JSON.parse(content);
        host.setAttribute("aria-label", alt);
        const height = document.fullscreenElement === host ? innerHeight : layout.height;
        const [traces, look] = fitFigure(data, layout, width);
        plotly.react(host, traces, {...look, width, height, template: template(host)}, OPTIONS);
        return true;
    }

    end() {
        this.resizeObserver.disconnect();
        this.plotly?.purge(this.host);
    }
}
