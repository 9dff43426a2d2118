/** Implements the `tail` utility, which prints the last lines or bytes of files. */
import type { Program } from "../System.ts"
import { keepLast, parseAmount, printTitle, putAll, skipUnits } from "./shared/firstAndLast.ts"
import type { Input } from "./shared/Input.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/** Rewrites `-5` and `+5` to `-n`, with `c` and `f` after them to `-c` and `-f`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const old = /^([-+])([0-9]+)(c|l)?(f)?$/.exec(args[0] ?? "")
  if (old === null) return args
  const [, sign, count = "", unit, follow] = old
  const value = `${sign === "+" ? "+" : ""}${count}`
  return [...(follow === undefined ? [] : ["-f"]), unit === "c" ? "-c" : "-n", value, ...args.slice(1)]
}

/** Writes a file from a line or byte on, counted from 1. */
const writeFrom = async (io: UtilityIo, input: Input, bytes: boolean, first: number): Promise<void> => {
  let skip = Math.max(0, first - 1)
  for await (const chunk of io.chunks(input)) {
    const [from, skipped] = skipUnits(chunk, skip, bytes, input.terminator)
    skip -= skipped
    io.out.putBytes(chunk, from)
  }
}

/**
 * `tail [-n [+]N] [-c [+]N] [-fFqvz] [-s SECONDS] [FILE]...`: prints the last lines or bytes. Source: tail(1).
 */
export const tail: Program = defineUtility(
  "tail",
  "n|lines: c|bytes: f|follow:: F q|quiet|silent v|verbose z|zero-terminated s|sleep-interval:",
  async (io) => {
    const { bytes, sign, titled, units } = parseAmount(io)
    const open: Array<Input> = []
    let shown = ""
    const title = (input: Input): void => {
      if (titled) printTitle(io, input, shown === "")
      shown = input.path
    }
    for (const path of io.operandsOr("-")) {
      const input = io.openInput(path, io.terminator())
      if (input === undefined) continue
      title(input)
      if (sign === "+") await writeFrom(io, input, bytes, units)
      else await putAll(io, (await keepLast(io, input, bytes, units)).map(([, last]) => last))
      if (io.has("f") || io.has("F")) open.push(input)
      else input.close()
    }
    if (open.length === 0) return
    const intervalMillis = Math.max(10, Number(io.value("s") ?? "0.25") * 1000 || 250)
    const buffer = new Uint8Array(65_536)
    for (;;) {
      for (const input of open) {
        for (let got = await io.system.read(input.fd, buffer); got > 0; got = await io.system.read(input.fd, buffer)) {
          if (titled && shown !== input.path) title(input)
          io.out.putBytes(buffer, 0, got)
          await io.flushAndYield()
        }
      }
      await io.flushAndYield()
      if (open.every((input) => input.path === "-")) return
      await io.system.sleep(intervalMillis)
    }
  },
  { rewriteArgs },
)
