/** Implements the utilities `pgrep` and `pkill`, which find processes of the sandbox by name and signal them. */
import { textToBinary } from "../../binaryString.ts"
import { Regex } from "../../regex/Regex.ts"
import { type Program, Signal } from "../../System.ts"
import { signalNumber } from "../../shell/traps.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { processTable, type TableRow } from "./processTable.ts"

const selection =
  "f|full i|ignore-case x|exact n|newest o|oldest v|inverse c|count P|parent: g|pgroup: s|session: u|euid: U|uid: " +
  "O|older: r|runstates:"

const errors = { noCriteria: "no matching criteria specified", onePattern: "only one pattern can be provided" }

const listOf = (io: UtilityIo, option: string): ReadonlyArray<string> | undefined =>
  io.has(option) ? io.values(option).flatMap((list) => list.split(",")) : undefined

/** Selects the processes that match the options and the pattern, but never the utility itself. */
const select = (io: UtilityIo): ReadonlyArray<TableRow> => {
  const { system } = io
  const fail = (message: string): never => io.fail(`${message}\nTry \`${io.name} --help' for more information.`)
  if (io.operands.length > 1) fail(errors.onePattern)
  const [pattern] = io.operands
  const [parents, groups, sessions, users, realUsers, states] = ["P", "g", "s", "u", "U", "r"].map((option) =>
    listOf(io, option)
  )
  const older = io.count("O", 0, (text) => `invalid elapsed time: ${text}`)
  if (pattern === undefined && ![..."PgsuUOr"].some((option) => io.has(option))) fail(errors.noCriteria)
  const regex = pattern === undefined ? undefined : new Regex([textToBinary(pattern)], {
    extended: true,
    ignoreCase: io.has("i"),
    utf8: true,
    ...(io.has("x") ? { whole: "line" } : {}),
  })
  const self = system.pid
  const groupOfSelf = system.processes().find(({ pid }) => pid === self)
  /** 0 means the group and the session of the utility itself. */
  const has = (list: ReadonlyArray<string> | undefined, id: number, mine: number | undefined): boolean =>
    list === undefined || list.some((text) => text === "0" && mine !== undefined ? id === mine : text === `${id}`)
  const isUser = (list: ReadonlyArray<string> | undefined, user: string): boolean =>
    list === undefined || list.includes(user) || list.includes("0")
  const found = processTable(system).filter((row) => {
    const { command, commandLine, elapsedSeconds, process, user } = row
    if (process.pid === self) return false
    const text = io.has("f") && process.state !== "ended" ? commandLine : command
    const matches = has(parents, process.parent, undefined) && has(groups, process.group, groupOfSelf?.group) &&
      has(sessions, process.job, groupOfSelf?.job) && isUser(users, user) && isUser(realUsers, user) &&
      elapsedSeconds >= older && (states === undefined || states.some((state) => state.includes(row.state))) &&
      (regex === undefined || regex.test(system, textToBinary(text)))
    return matches !== io.has("v")
  })
  if (!(io.has("n") || io.has("o"))) return found
  const one = io.has("n") ? found.at(-1) : found[0]
  return one === undefined ? [] : [one]
}

/** `pgrep [-acfilnovx] [-d TEXT] [-P PIDS] [-g GROUPS] [-s SESSIONS] [-u USERS] [PATTERN]`: finds processes. Source: pgrep(1). */
export const pgrep: Program = defineUtility(
  "pgrep",
  `${selection} l|list-name a|list-full d|delimiter:`,
  (io) => {
    const found = select(io)
    if (io.has("c")) io.print(`${found.length}\n`)
    else if (found.length > 0) {
      const texts = found.map(({ command, commandLine, process }) =>
        io.has("a") ? `${process.pid} ${commandLine}` : io.has("l") ? `${process.pid} ${command}` : `${process.pid}`
      )
      io.print(`${texts.join(io.value("d") ?? "\n")}\n`)
    }
    return found.length > 0 ? 0 : 1
  },
  { errorExitCode: 2 },
)

/** Rewrites `pkill -9 name` and `pkill -HUP name` to `--signal`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg) => {
    const name = /^-([0-9]+|[A-Z][A-Z0-9]{2,})$/.exec(arg)?.[1]
    return name === undefined || signalNumber(name) === undefined ? [arg] : ["--signal", name]
  })

/** `pkill [-SIGNAL] [-cefinovx] [-P PIDS] [-g GROUPS] [-u USERS] [PATTERN]`: signals processes. Source: pkill(1). */
export const pkill: Program = defineUtility(
  "pkill",
  `${selection} e|echo signal:`,
  (io) => {
    const name = io.value("signal")
    const signal = name === undefined ? Signal.SIGTERM : signalNumber(name) ?? io.fail(`Unknown signal "${name}".`)
    const found = select(io)
    let signaled = 0
    for (const { command, process } of found) {
      if (io.system.kill(process.pid, signal) < 0) continue
      signaled++
      if (io.has("e")) io.print(`${command} killed (pid ${process.pid})\n`)
    }
    if (io.has("c")) io.print(`${signaled}\n`)
    return signaled > 0 ? 0 : 1
  },
  { errorExitCode: 2, rewriteArgs },
)
