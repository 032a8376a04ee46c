// early.js -- starts the core before the rest of the page is there: a worker, its code and its memory take longest.
//
// The page loads this first and does not wait for it; main.js takes over what has begun.
import { missing, Simulation, threadsHere } from "./simulation.js";

const wish = Number(new URLSearchParams(location.search).get("threads"));

export const lacking = missing();
export const simulation = new Simulation();
export const starting = lacking ? null : simulation.start(threadsHere(wish));
starting?.catch(() => {}); // main.js says what is wrong
