/* How a figure looks on a narrow screen, on pages and offline. */

/** @typedef {{ticktext?: string[], tickvals: number[], range?: number[], type?: string}} Axis
    @typedef {any} Layout Of a Plotly figure. */

const LETTER = 7;

/** Every third name of an axis whose names would run into each other.
    @param {Axis | undefined} axis
    @param {number} width */
function thinTicks(axis, width) {
    if (!axis?.ticktext || !axis.range) return axis;
    const {ticktext, tickvals, range, type} = axis;
    const positions = tickvals.map(value => type === "log" ? Math.log10(value) : value);
    const visibleCount = positions.filter(value => range[0] <= value && value <= range[1]).length;
    const labelWidth = LETTER * (2 + Math.max(...ticktext.map(text => text.length)));
    return visibleCount * labelWidth <= width ? axis : {...axis, ticktext: ticktext.map((text, i) => i % 3 ? "" : text)};
}

/** What a figure is at this width: narrow, its lines' names are in a legend, not beside the lines.
    @param {{meta?: unknown}[]} data
    @param {Layout} layout
    @param {number} width */
export function fitFigure(data, layout, width) {
    const {narrow, below} = layout.meta ?? {}, {l, r} = layout.margin;
    if (!narrow || width >= below) return [data, {...layout, xaxis: thinTicks(layout.xaxis, width - l - r)}];
    const {l: left, r: right} = narrow.margin, xaxis = thinTicks(layout.xaxis, width - left - right);
    return [data.filter(each => each.meta !== "wide"), {...layout, ...narrow, xaxis}];
}
