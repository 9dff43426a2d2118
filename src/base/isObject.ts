/** Recognizes objects among unknown values. */

/** Whether a value is an object: also a list, but not a function. */
export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether a value is an object that is not a list: its properties can be read by name. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)
