/**
 * Finds the commands that `env`, `xargs`, `watch`, `sudo`, `flock` and `busybox` run, and the variables that `env`
 * sets; refuses unknown options. Sources: their manuals.
 */
import {
  code,
  type LauncherRule,
  type LaunchOutcome,
  plain,
  refused,
  runsCommand,
  runsWithMore,
} from "./LauncherRule.ts"
import { prefixRunner, withOptions } from "./launcherOptions.ts"

/** A text is passed to `sh`, so that shell must be on the list. */
const shell: LaunchOutcome = runsWithMore("sh", "-c")

/** `env`. Without `-i` and `-S`, so that the command has the environment that was checked. */
export const env: LauncherRule = withOptions({
  flags: "0v",
  valued: "u",
  long: ["null", "debug"],
  longValued: ["unset"],
}, (read) => {
  const first = read.rest.findIndex((word) => !word.includes("="))
  const at = first < 0 ? read.rest.length : first
  const names = [
    ...[...read.values.values()].flat(),
    ...read.rest.slice(0, at).map((word) => word.replace(/=.*/s, "")),
  ]
  return { _tag: "Sets", names, then: runsCommand(...read.rest.slice(at)) }
})

/** `xargs`: its input becomes arguments. */
export const xargs: LauncherRule = withOptions({
  flags: "0rtxo",
  valued: "adEILnPs",
  long: ["null", "no-run-if-empty", "verbose", "exit", "open-tty"],
  // Options whose value may be missing (`--replace`, `--max-lines`, `-i`) would take the command as their value.
  longValued: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars"],
}, (read) => {
  if (read.rest.length === 0) return runsWithMore("echo")
  const [mark, ...more] = read.values.get("I") ?? []
  if (mark === undefined) return runsWithMore(...read.rest)
  // Each of these options cancels the one before it.
  const others = ["n", "L", "max-args"].find((option) => read.values.has(option))
  if (more.length > 0 || others !== undefined) return refused("with -I and an option that cancels it")
  if (read.rest[0]?.includes(mark) === true) return refused("with a command that is read from input")
  const known = read.rest.filter((word) => !word.includes(mark))
  return known.length < read.rest.length ? runsWithMore(...known) : runsCommand(...known)
})

/** `watch`: a text for `sh`, or with `-x` a command. */
export const watch: LauncherRule = withOptions({
  flags: "bcdegptwx",
  valued: "n",
  long: ["beep", "color", "errexit", "chgexit", "precise", "no-title", "no-wrap", "exec"],
  longValued: ["interval"],
}, (read, words) => {
  const before = words.slice(0, words.length - read.rest.length)
  // The text right after -d is its value: in `-dx` the x is no option.
  if (before.some((word) => /^-\w*d./.test(word))) return refused("with a value of -d")
  const direct = before.some((word) => word === "--exec" || /^-[bcegptw]*x/.test(word))
  return direct ? runsCommand(...read.rest) : shell
})

const asUser = prefixRunner({
  flags: "AbEHknPS",
  valued: "ugpC",
  longValued: ["user", "group"],
  long: ["non-interactive"],
})

/** `sudo`, which removes variables, including those that restrict git. */
export const sudo: LauncherRule = (words) =>
  words.some((word) => /(?:^|\/)git$/.test(word)) ? refused("with git") : asUser(words)

/** `flock FILE COMMAND …`, or `-c` and a text for `sh`. */
export const flock: LauncherRule = withOptions({
  flags: "snxoueF",
  valued: "wE",
  long: ["shared", "exclusive", "nonblock"],
}, (read) => {
  const [file, ...rest] = read.rest
  if (file === undefined) return refused("without a file")
  return rest[0]?.startsWith("-") === true ? shell : runsCommand(...rest)
})

/** `busybox APPLET …`: the applet is the command. */
export const busybox: LauncherRule = (words) => {
  const [first] = words
  if (first === undefined || /^--(?:list(?:-full)?|help)$/.test(first)) return plain
  return first.startsWith("-") ? code : runsCommand(...words)
}
