/** Tests that a timer of the host fires while a script that computes for long runs, and that the timeout ends the script. */
import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"

const letters = (count: number, letter = "a"): string => `$(head -c ${count} /dev/zero | tr '\\0' ${letter})`
const tree = "mkdir -p d/{1..12}/{1..12}; for f in d/*/*; do : > $f/x; done"
const endless = (setup: string, step: string): string =>
  `shopt -s extglob globstar\n${setup}\nwhile :; do\n${step}\ndone`

/** Runs a script until its timeout and returns how often a timer of the host fired meanwhile. */
const ticksWithin = async (script: string, timeout: number): Promise<number> => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 20)
  const sandbox = Effect.flatMap(Sandbox.make(), (sandbox) => sandbox.run(script, { timeout }))
  try {
    const fault = await Effect.runPromise(Effect.flip(Effect.scoped(sandbox)))
    expect(fault).toMatchObject({ reason: { _tag: "Timeout" } })
    return ticks
  } finally {
    clearInterval(timer)
  }
}

it.each([
  ["eval of a long line", "x='true; '; for i in {1..16}; do x+=$x; done; eval \"$x\"", "a shorter command"],
  ["printf %q of a long text", "printf -v x '%2000000s' ''; printf %q \"$x\"", "longer than 1048576 characters"],
  ["a long regular expression", "printf -v x '%300000s' ''; x=${x// /a}; [[ a =~ [$x] ]]; exit $?", ""],
])("refuses work that would hold the event loop for seconds: %s", async (_, script, message) => {
  const sandbox = Effect.flatMap(Sandbox.make(), (sandbox) => sandbox.run(script))
  const { exitCode, stderr } = await Effect.runPromise(Effect.scoped(sandbox))
  expect(stderr).toContain(message)
  expect(exitCode).toBeGreaterThan(0)
})

it.each<readonly [string, string]>([
  ["a replacement whose attempts all read to the end", endless(`x=${letters(25_000)}`, ": ${x//+(a)b/y}")],
  ["a replacement with short matches and long attempts", endless(`x=${letters(200_000)}`, ": ${x//@(a|+(a)b)/y}")],
  ["a replacement by a negation", endless(`x=${letters(25_000)}`, ": ${x//!(b)c/y}")],
  ["nested negations", endless(`x=${letters(9_000)}`, "[[ $x == !(!(a*)a)!(*b)c ]]")],
  ["many stars", endless(`x=${letters(100_000)}`, "[[ $x == *a*a*a*a*b ]]")],
  ["a case statement with extended patterns", endless(`x=${letters(100_000)}`, "case $x in *+(a)b|*!(a)*c) ;; esac")],
  ["trimming at both ends", endless(`x=${letters(100_000)}`, ": ${x%%+(a|aa)b} ${x##*(a)b} ${x%+(a)b*}")],
  [
    "a pattern of three thousand groups",
    endless(`printf -v p '%3000s' ''; p=\${p// /?(a)}; x=${letters(3_000)}`, "[[ ${x}b == $p ]]"),
  ],
  [
    "a pattern of ninety nested groups",
    endless(
      `p=a; for i in {1..90}; do p="*($p|b$i)"; done; x=${letters(3_000)}`,
      "[[ ${x}c == $p ]]",
    ),
  ],
  ["many file names", endless(tree, ": d/*/* d/**/*x")],
  [
    "a long file name",
    endless(`touch ${letters(200)}; p=; for i in {1..100}; do p+='*a'; done`, ": ${p}b +(*(a)|b)c"),
  ],
  ["a regular expression", endless(`x=${letters(100_000)}`, "[[ $x =~ (a|aa)+(b|c)*d ]]")],
  ["the groups of a regular expression", endless(`x=${letters(100_000)}`, "[[ $x =~ ((a|aa)+)(a*) ]]")],
  ["a back reference", endless(`x=${letters(5_000)}`, "[[ $x =~ (a*)*\\1b ]]")],
  ["a brace expansion of 900,000 words", endless("", ": {1..900000}")],
  ["splitting into 400,000 words", endless("printf -v x '%400000s' ''; x=${x// / a}", "for y in $x; do break; done")],
  ["text of surrogate pairs", endless("printf -v x '%2000000s' 😀", ": ${#x} ${x:5:3}")],
  ["case changes of a long text", endless("printf -v x '%2000000s' a", ": ${x^^} ${x,,}")],
  ["a wide field", endless("", "printf '%2000000000d' 1 > /dev/null")],
  [
    "a substitution in a long line",
    "head -c 5000000 /dev/zero | tr '\\0' a | sed -E 's/a|a+b/x/g' > /dev/null; while :; do :; done",
  ],
  [
    "matches of a long line",
    "head -c 5000000 /dev/zero | tr '\\0' a | grep -Eo 'a|a+b' > /dev/null; while :; do :; done",
  ],
  ["an endless loop of sed", "echo a | sed ':a;s/a/aa/;ba'"],
  [
    "a million builtins without a loop",
    "x=$':\\n'; for i in {1..20}; do x+=$x; done; eval \"$x\"; while :; do :; done",
  ],
  ["an arithmetic loop", "for ((i = 0; i < 100000000; i++)); do :; done"],
])("lets timers of the host fire during %s", async (_, script) => {
  // On a busy machine the run has more time: it gets a part of a core alone.
  const ticks = await ticksWithin(script, 300)
  expect(ticks > 3 ? ticks : await ticksWithin(script, 6_000)).toBeGreaterThan(3)
})
