// Two servers that add up reports by Prio3Histogram (the package of Divvi Up, who run Janus).

import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const {modules, tasks} = JSON.parse(readFileSync(0, "utf-8"));
const {Prio3Histogram} = await import(pathToFileURL(`${modules}/@divviup/prio3/dist/index.js`).href);

/** What the collector gets of these reports, or the error of the first that is none. */
async function added({length, chunk_length: chunkLength, reports}) {
    const vdaf = new Prio3Histogram({shares: 2, length, chunkLength});
    const told = await vdaf.run({aggregationParameter: null, measurements: reports});
    return told.agg_result.map(Number);
}

process.stdout.write(JSON.stringify(await Promise.all(tasks.map(
    task => added(task).catch(error => String(error))))));
