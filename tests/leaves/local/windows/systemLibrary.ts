/**
 * Calls functions of the libraries of Windows through the foreign-function interface of Deno.
 *
 * Source: Deno documentation, "Deno.dlopen".
 */
import process from "node:process"

type Kind = "buffer" | "i32" | "u32" | "u64" | "usize" | "void"

/** The kinds of a function's arguments, and of its result. */
export type Signature = readonly [args: ReadonlyArray<Kind>, result: Kind]

/** Loads functions of a library in `System32`, by their own names; `undefined` on another system, and on another runtime. */
export const systemLibrary = (name: string, signatures: Readonly<Record<string, Signature>>): unknown => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (process.platform !== "win32" || typeof deno !== "object" || deno === null) return undefined
  const dlopen: unknown = Reflect.get(deno, "dlopen")
  if (typeof dlopen !== "function") return undefined
  const symbols = Object.entries(signatures).map(([each, [parameters, result]]) => [each, { parameters, result }])
  return dlopen(`${process.env.SystemRoot}\\System32\\${name}`, Object.fromEntries(symbols)).symbols
}

/** Text as functions of Windows take it: UTF-16 with a NUL at its end. */
export const wideText = (text: string): Uint8Array<ArrayBuffer> => {
  const units = new Uint16Array(text.length + 1)
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at)
  return new Uint8Array(units.buffer)
}
