/**
 * Finds the commands that `env`, `xargs`, `watch`, `sudo`, `flock` and `busybox` run by their arguments, and the
 * variables that `env` sets; refuses calls whose options it does not know.
 *
 * Sources: env(1), xargs(1), watch(1), busybox(1), flock(1).
 *
 * @module
 */
import { anyArguments, type Argument } from "../Argument.ts"
import { code, type Launcher, plain, refused, runsCommand, unknownArguments } from "./Launcher.ts"
import { prefixRunner, readOptions } from "./launcherOptions.ts"

/** What hands a text to `sh`: that shell must be in the list. */
const shell: ReadonlyArray<Argument> = [{ text: "sh" }, { text: "-c" }, anyArguments]

/** `env`. Without `-i` and `-S`: what is run has the environment that was decided about. */
export const env: Launcher = (words) => {
  const read = readOptions(words, { flags: "0v", valued: "u", long: ["null", "debug"], longValued: ["unset"] })
  if (typeof read === "string") return refused(read)
  const names: Array<string> = []
  for (const { text } of [...read.values.values()].flat()) {
    if (text === undefined) return unknownArguments
    names.push(text)
  }
  let at = 0
  for (; at < read.rest.length; at++) {
    const word = read.rest[at]
    const known = word?.text ?? (word !== undefined && "head" in word && !word.many ? word.head : undefined)
    if (known === undefined) return unknownArguments
    if (!known.includes("=")) break
    names.push(known.replace(/=.*/s, ""))
  }
  return { _tag: "Sets", names, then: runsCommand(...read.rest.slice(at)) }
}

/** `xargs`: what it reads becomes arguments. */
export const xargs: Launcher = (words) => {
  const read = readOptions(words, {
    flags: "0rtxo",
    valued: "adEILnPs",
    long: ["null", "no-run-if-empty", "verbose", "exit", "open-tty"],
    // Those whose value may be missing (`--replace`, `--max-lines`, `-i`) would take the command for it.
    longValued: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars"],
  })
  if (typeof read === "string") return refused(read)
  if (read.rest.length === 0) return runsCommand({ text: "echo" }, anyArguments)
  const [place, ...more] = read.values.get("I") ?? []
  if (place === undefined) return runsCommand(...read.rest, anyArguments)
  // Each of these takes the ones before it back.
  const others = ["n", "L", "max-args"].find((option) => read.values.has(option))
  if (more.length > 0 || others !== undefined) return refused("with -I and what takes it back")
  const mark = place.text
  if (mark === undefined || mark === "") return unknownArguments
  return runsCommand(...read.rest.map((word): Argument => {
    const found = word.text?.indexOf(mark) ?? -1
    if (word.text === undefined) return anyArguments
    return found < 0 ? word : { head: word.text.slice(0, found), many: false }
  }))
}

/** `watch`: a text for `sh`, or with `-x` a command. */
export const watch: Launcher = (words) => {
  const read = readOptions(words, {
    flags: "bcdegptwx",
    valued: "n",
    long: ["beep", "color", "errexit", "chgexit", "precise", "no-title", "no-wrap", "exec"],
    longValued: ["interval"],
  })
  if (typeof read === "string") return refused(read)
  const before = words.slice(0, words.length - read.rest.length)
  // What stands right behind -d is its value: in `-dx` the x is no option.
  if (before.some(({ text }) => /^-\w*d./.test(text ?? ""))) return refused("with a value of -d")
  const direct = before.some(({ text }) => text === "--exec" || /^-[bcegptw]*x/.test(text ?? ""))
  return direct ? runsCommand(...read.rest) : { _tag: "Runs", commands: [shell] }
}

const asUser = prefixRunner({
  flags: "AbEHknPS",
  valued: "ugpC",
  longValued: ["user", "group"],
  long: ["non-interactive"],
})

/** `sudo`. It takes variables away, and with them what holds git back. */
export const sudo: Launcher = (words) =>
  words.some(({ text }) => /(?:^|\/)git$/.test(text ?? "")) ? refused("with git") : asUser(words)

/** `flock FILE COMMAND …`, or `-c` and a text for `sh`. */
export const flock: Launcher = (words) => {
  const read = readOptions(words, { flags: "snxoueF", valued: "wE", long: ["shared", "exclusive", "nonblock"] })
  if (typeof read === "string") return refused(read)
  const [file, ...rest] = read.rest
  if (file?.text === undefined) return unknownArguments
  if (/^-/.test(rest[0]?.text ?? "-") && rest.length > 0) return { _tag: "Runs", commands: [shell] }
  return runsCommand(...rest)
}

/** `busybox APPLET …`: the applet is the command. */
export const busybox: Launcher = (words) => {
  const [first] = words
  if (first === undefined || /^--(?:list(?:-full)?|help)$/.test(first.text ?? "")) return plain
  return first.text === undefined || first.text.startsWith("-") ? code : runsCommand(...words)
}
