/* What the file holds of its parts, and parcels as the bytes that they were. */

/** @type {(text: string) => Uint8Array} */
export const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/** @type {(id: string) => any} */
export const jsonOf = id => JSON.parse(document.getElementById(id)?.textContent ?? "null");
