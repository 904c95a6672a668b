/* Which step of a film a scene is, and whether the film is of that very scene. */

/** @typedef {Pick<Message.Scene, "at"> & {pictures: {id: string, code: string}[]}} Shown */

/** The step nearest to the scene's own, and whether it is that very step.
    @param {Message.Film} film
    @param {Shown | undefined} data */
export function stepOf(film, data) {
    const value = data?.at[film.id];
    if (value === undefined) return {index: 0, exact: false};
    const off = film.steps.map(step => Math.abs(step.value - value));
    const index = off.indexOf(Math.min(...off));
    return {index, exact: off[index] <= 1e-9 * Math.abs(value)};
}

/** Whether a film has the scene's pictures at the scene's step.
    @param {Message.Film} film
    @param {Shown} data */
export function fits(film, data) {
    const {index, exact} = stepOf(film, data), {codes} = film.steps[index];
    return exact && data.pictures.every(({id, code}) => (codes[id] ?? code) === code);
}
