/** Generated scripts: from a grammar, by mutations of real ones, from bytes. */
import type { Random } from "../../support/random.ts"
import { everyday } from "../everydayScripts.ts"
import { made, mutate } from "../madeScripts.ts"
import { evaluations } from "./evaluations.ts"

/** What means something to a shell, so that bytes get somewhere. */
const telling = "\n\t '\"`$(){}[]<>|&;\\#=!*?~^%:@,-+./0123456789aeilvxf"

const bytes = ({ int, pick }: Random, most: number): string =>
  Array.from(
    { length: int(1, most) },
    () => int(0, 3) > 0 ? pick([...telling]) : String.fromCharCode(int(1, pick([127, 255, 0xffff]))),
  ).join("")

const changed = (scripts: ReadonlyArray<string>, most: number, r: Random): string => {
  let script = r.pick(scripts)
  for (let changes = r.int(0, most); changes > 0; changes--) script = mutate(script, r.pick(scripts), r)
  return script
}

/** One script; the same for the same numbers. */
export const generate = (r: Random): string => {
  const ways: ReadonlyArray<() => string> = [
    () => made(r),
    () => made(r),
    () => changed(everyday, 3, r),
    () => changed(evaluations, 3, r),
    () => bytes(r, 60),
    () => {
      const script = changed([...everyday, ...evaluations], 1, r)
      const at = r.int(0, script.length)
      return script.slice(0, at) + bytes(r, 6) + script.slice(at)
    },
  ]
  return r.pick(ways)().slice(0, 3_000)
}
