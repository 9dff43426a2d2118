import type { Program } from "../System.ts"
import { toBinary } from "../regex/bytes.ts"
import { unescape } from "./kit/escapes.ts"
import { utility } from "./kit/utility.ts"

/** `echo [-neE] [STRING]...`: writes its arguments. Source: echo(1). */
export const echo: Program = utility("echo", "=", (io) => {
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
  let text = toBinary(words.join(" "))
  if (escapes) {
    const { stopped, value } = unescape(text)
    text = value
    if (stopped) newline = false
  }
  io.out.bin(newline ? `${text}\n` : text)
})
