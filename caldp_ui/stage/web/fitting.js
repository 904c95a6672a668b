/* Which step of a film a scene is, and whether the film is of that very scene. */

/** @typedef {Pick<Message.Scene, "values"> & {
        pictures: {id: string, code: string}[],
    }} SceneState */

/** The step nearest to the scene's own, and whether it is that very step.
    @param {Message.Film} film
    @param {SceneState | undefined} data */
export function stepOf(film, data) {
    const value = data?.values[film.id];
    if (value === undefined) return {index: 0, exact: false};
    const distances = film.steps.map(step => Math.abs(step.value - value));
    const index = distances.indexOf(Math.min(...distances));
    return {index, exact: distances[index] <= 1e-9 * Math.abs(value)};
}

/** Whether a film has the scene's pictures at the scene's step.
    @param {Message.Film} film
    @param {SceneState} data */
export function matchesScene(film, data) {
    const {index, exact} = stepOf(film, data), {codes} = film.steps[index];
    return exact && data.pictures.every(({id, code}) => (codes[id] ?? code) === code);
}
