/** Declares the messages from a worker to the kernel, and the shared words that return results. */
import { isRecord } from "../../base/isObject.ts"

/** Words of the channel, 32 bits each. The program itself checks the first. */
export const ChannelWord = {
  /** Not 0 once the program has to stop. */
  stop: 0,
  /** 0 while the worker waits for a result. */
  answered: 1,
  /** The result of the call. */
  answer: 2,
} as const

export interface StartMessage {
  readonly module: WebAssembly.Module
  readonly memories: ReadonlyArray<readonly [namespace: string, name: string, memory: WebAssembly.Memory]>
  readonly channel: WebAssembly.Memory
  readonly words: typeof ChannelWord
  /** Functions that the program imports. A call names one by its index here. */
  readonly functions: ReadonlyArray<readonly [namespace: string, name: string]>
}

export type WorkerMessage =
  | readonly [place: number, ...args: ReadonlyArray<number | bigint>]
  | { readonly done: true }
  | { readonly fault: { readonly name: string; readonly message: string } }

const isArgument = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"

const isCall = (value: unknown): value is Extract<WorkerMessage, ReadonlyArray<unknown>> =>
  Array.isArray(value) && typeof value[0] === "number" && value.every(isArgument)

/** Parses a message from a worker; `undefined` if it is invalid. */
export const parseWorkerMessage = (value: unknown): WorkerMessage | undefined => {
  if (isCall(value)) return value
  if (!isRecord(value)) return undefined
  if (value["done"] === true) return { done: true }
  const { fault } = value
  if (!isRecord(fault)) return undefined
  return { fault: { name: String(fault["name"]), message: String(fault["message"]) } }
}
