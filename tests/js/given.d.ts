/* What `offline/document.py` puts before the scripts of a part: constants, and the code of its picture. */

/** The id of the part. */
export const PART: string;
/** The key of the picture in its part. */
export const KEY: string;
/** The class of the picture's element. */
export const KIND: string;
/** The picture's style sheet. */
export const STYLE: string;
export const MESSAGE: unknown;
/** Of the picture of answers. */
export const hub: import("../../caldp_ui/values/web/chart.js").Hub;
/** The picture's own code. */
export default function mount(component: Component<unknown>): unknown;
