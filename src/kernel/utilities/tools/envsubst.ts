/** Implements the `envsubst` utility. */
import type { Program } from "../../System.ts"
import { textToBinary } from "../../binaryString.ts"
import { defineUtility } from "../shared/defineUtility.ts"

const reference = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

/** `envsubst [-v] [SHELL-FORMAT]`: replaces `$NAME` and `${NAME}` by the environment's values. Source: envsubst(1). */
export const envsubst: Program = defineUtility("envsubst", "v|variables", async (io) => {
  const [format] = io.operands
  const namesOf = (text: string): ReadonlyArray<string> =>
    Array.from(text.matchAll(reference), ([, braced, plain]) => braced ?? plain ?? "")
  if (io.has("v")) {
    for (const name of namesOf(format ?? io.fail("missing arguments"))) io.print(`${name}\n`)
    return
  }
  const wanted = format === undefined ? undefined : new Set(namesOf(format))
  const input = io.openInput("-")
  if (input === undefined) return
  await io.forEachLine([input], (line) => {
    io.out.putBinary(line.replace(reference, (all, braced, plain) => {
      const name: string = braced ?? plain
      return wanted === undefined || wanted.has(name) ? textToBinary(io.system.env.get(name) ?? "") : all
    }))
    if (input.terminated) io.out.putByte(10)
  })
}, { maxOperands: 1 })
