/**
 * Declares the messages and shared words between a worker and the kernel: calls go as messages, results come back
 * through shared memory on which the worker waits.
 *
 * @module
 */

/** Words of the channel, 32 bits each. The first is what the program itself looks at. */
export const ChannelWord = {
  /** Not 0 once the program is to stop. */
  stop: 0,
  /** 0 while the worker waits for an answer. */
  answered: 1,
  answer: 2,
} as const

/** What a worker begins with. */
export interface StartMessage {
  readonly module: WebAssembly.Module
  /** The program's memory, and the channel. */
  readonly memories: ReadonlyArray<readonly [namespace: string, name: string, memory: WebAssembly.Memory]>
  readonly channel: WebAssembly.Memory
  readonly words: typeof ChannelWord
  /** Functions that the program imports. A call names one by its place here. */
  readonly functions: ReadonlyArray<readonly [namespace: string, name: string]>
}

/** What a worker says. */
export type WorkerMessage =
  /** A call, and its arguments. */
  | readonly [place: number, ...args: ReadonlyArray<number | bigint>]
  /** The program has returned. */
  | { readonly done: true }
  /** It broke. */
  | { readonly fault: { readonly name: string; readonly message: string } }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isArgument = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"

const isCall = (value: unknown): value is Extract<WorkerMessage, ReadonlyArray<unknown>> =>
  Array.isArray(value) && typeof value[0] === "number" && value.every(isArgument)

/** What came from a worker; `undefined` when it is none of what a worker says. */
export const parseWorkerMessage = (value: unknown): WorkerMessage | undefined => {
  if (isCall(value)) return value
  if (!isObject(value)) return undefined
  if (value["done"] === true) return { done: true }
  const { fault } = value
  if (!isObject(fault)) return undefined
  return { fault: { name: String(fault["name"]), message: String(fault["message"]) } }
}
