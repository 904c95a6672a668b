/* Modules of one folder that are put together with another's import them as if they were beside them
   (`bundle.joined`): so they are looked for there, too. */

import {existsSync} from "node:fs";
import {registerHooks} from "node:module";
import {fileURLToPath} from "node:url";

const FOLDERS = ["caldp_ui/stage/web", "caldp_ui/charts/web", "caldp_core/collect/js"]
    .map(folder => new URL(`../../${folder}/`, import.meta.url));

registerHooks({
    resolve(name, context, next) {
        if (!name.startsWith("./") || !context.parentURL) return next(name, context);
        const places = [context.parentURL, ...FOLDERS].map(place => new URL(name, place));
        const there = places.find(place => existsSync(fileURLToPath(place)));
        return next(there?.href ?? name, context);
    },
});
