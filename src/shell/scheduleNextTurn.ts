/** Calls a function on the next turn of the event loop. */
type Schedule = (callback: () => void) => unknown

const isSchedule = (u: unknown): u is Schedule => typeof u === "function"

const findSchedule = (): Schedule => {
  const immediate: unknown = Reflect.get(globalThis, "setImmediate")
  return isSchedule(immediate) ? immediate : (callback) => setTimeout(callback, 0)
}

// On Deno at the first call, since the first access costs 10 ms; elsewhere at load, before a test can replace the timers.
let schedule = "Deno" in globalThis ? undefined : findSchedule()

/** Calls back after the event loop has looked for input once more; without `setImmediate`, as soon as a timer can. */
export const scheduleNextTurn: Schedule = (callback) => (schedule ??= findSchedule())(callback)
