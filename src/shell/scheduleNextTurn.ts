/**
 * Calls a function on the next turn of the event loop.
 *
 * @module
 */

type Schedule = (callback: () => void) => unknown

const isSchedule = (u: unknown): u is Schedule => typeof u === "function"

const immediate: unknown = Reflect.get(globalThis, "setImmediate")

/** Calls back after the event loop has looked for input once more; without `setImmediate`, as soon as a timer can. */
export const scheduleNextTurn: Schedule = isSchedule(immediate) ? immediate : (callback) => setTimeout(callback, 0)
