/** Implements the `echo` utility, which prints its arguments. */
import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { unescape } from "./shared/unescape.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `echo [-neE] [STRING]...`: prints its arguments. Source: echo(1).
 *
 * @stability stable
 */
export const echo: Program = defineUtility("echo", "=", (io) => {
  let words = io.operands
  let newline = true
  let escapes = false
  while (words[0] !== undefined && /^-[neE]+$/.test(words[0])) {
    for (const letter of words[0].slice(1)) {
      if (letter === "n") newline = false
      else escapes = letter === "e"
    }
    words = words.slice(1)
  }
  let text = textToBinary(words.join(" "))
  if (escapes) {
    const { stopped, value } = unescape(text)
    text = value
    newline &&= !stopped
  }
  io.out.putBinary(newline ? `${text}\n` : text)
})
