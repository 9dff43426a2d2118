/** Reads arguments of calls of the engine, which a script may have changed: each has a value, of the type that is asked for. */
import type { Later } from "../../System.ts"
import type { Argument, Reply } from "./QuickJs.ts"

/** A call of the host, by the arguments behind its name. */
export type HostCall = (...args: ReadonlyArray<Argument>) => Later<Reply>
export type HostCalls = Readonly<Record<string, HostCall>>

export const textOf = (argument: Argument): string => typeof argument === "string" ? argument : ""

/** A whole number, -1 if there is none. */
export const numberOf = (argument: Argument): number =>
  typeof argument === "number" && Number.isSafeInteger(Math.trunc(argument)) ? Math.trunc(argument) : -1

/** A view that is valid until the engine runs. */
export const bytesOf = (argument: Argument): Uint8Array => argument instanceof Uint8Array ? argument : new Uint8Array(0)
