/** Implements the builtins of background jobs: `wait`, `kill`, `jobs`, `fg`, `bg` and `disown`. */
import { Errno, errnoText } from "../../Errno.ts"
import { type Pid, Signal } from "../../System.ts"
import { createPipe } from "../pipeline.ts"
import { reapChildren, rememberExit } from "../processes.ts"
import type { Job } from "../Call.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { listSignals, signalNumber } from "../traps.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

/** Finds the job of `%1`, `%%`, `%+`, `%-` or `%name`. */
const jobOf = (shell: Shell, text: string): Job | undefined => {
  const name = text.slice(1)
  if (/^\d+$/.test(name)) return shell.jobs.find((job) => job.number === Number(name))
  if (name === "" || name === "%" || name === "+") return shell.jobs.at(-1)
  return name === "-" ? shell.jobs.at(-2) ?? shell.jobs.at(-1) : shell.jobs.findLast((job) => job.text.startsWith(name))
}

/** Waits for one child; returns its exit code, or -1 if a signal with a trap interrupts the wait. */
const waitOne = async (shell: Shell, pid: Pid): Promise<number> => {
  const job = shell.jobs.find((candidate) => candidate.pid === pid)
  const known = job?.exitCode ?? shell.childExits.get(pid)
  if (known !== undefined) return known
  const status = await shell.system.wait(pid)
  if (typeof status === "object") {
    rememberExit(shell, pid, status.exitCode)
    return status.exitCode
  }
  if (status === -Errno.EINTR) return -1
  return job === undefined ? 127 : waitForeign(shell, job)
}

/** Waits for a job of an earlier run of the session, which is not a child of this process. Its end closes a pipe. */
const waitForeign = async (shell: Shell, job: Job): Promise<number> => {
  const [read, write] = createPipe(shell)
  const watched = shell.system.watch(job.pid, ({ exitCode }) => {
    job.exitCode ??= exitCode
    // This process may have ended by then.
    Promise.resolve().then(() => shell.system.close(write)).catch(() => {})
  })
  if (watched < 0) shell.system.close(write)
  const found = await shell.system.poll([{ _tag: "Readable", fd: read }])
  shell.system.close(read)
  return found === -Errno.EINTR ? -1 : job.exitCode ?? 127
}

const interrupted = (shell: Shell): number => 128 + (shell.pendingSignals[0] ?? 0)

const waitBuiltin = withOptions("fnp:", async (shell, { letters, rest, values }) => {
  const running = shell.jobs.filter((job) => job.exitCode === undefined)
  if (letters.has("n")) return waitAny(shell, rest, values.get("p"))
  if (rest.length === 0) {
    for (const job of running) if (await waitOne(shell, job.pid) < 0) return interrupted(shell)
    shell.jobs = []
    return 0
  }
  let status = 0
  for (const word of rest) {
    const job = word.startsWith("%") ? jobOf(shell, word) : undefined
    if (!word.startsWith("%") && !/^\d+$/.test(word)) {
      return shell.reportError(`wait: \`${word}': not a pid or valid job spec`, 1)
    }
    if (word.startsWith("%") && job === undefined) {
      status = await shell.reportError(`wait: ${word}: no such job`, 127)
      continue
    }
    const pid = job?.pid ?? Number(word)
    status = await waitOne(shell, pid)
    if (status < 0) return interrupted(shell)
    shell.jobs = shell.jobs.filter((candidate) => candidate.pid !== pid)
    if (status === 127 && !shell.childExits.has(pid)) {
      await shell.reportError(`wait: pid ${pid} is not a child of this shell`)
    }
  }
  return status
})

/** Waits for the first job that ends: `wait -n`. */
const waitAny = async (shell: Shell, words: ReadonlyArray<string>, variable: string | undefined): Promise<number> => {
  const wanted = new Set(words.map((word) => word.startsWith("%") ? jobOf(shell, word)?.pid : Number(word)))
  const candidates = (): ReadonlyArray<Job> => shell.jobs.filter((job) => words.length === 0 || wanted.has(job.pid))
  for (;;) {
    const done = candidates().find((job) => job.exitCode !== undefined)
    if (done !== undefined) {
      shell.jobs = shell.jobs.filter((job) => job !== done)
      if (variable !== undefined) shell.variables.set(variable, String(done.pid))
      return done.exitCode ?? 0
    }
    if (candidates().length === 0) return 127
    const status = await shell.system.wait(-1)
    if (status === -Errno.EINTR) return interrupted(shell)
    const [foreign] = candidates()
    if (status === -Errno.ECHILD && foreign !== undefined) {
      if (await waitForeign(shell, foreign) < 0) return interrupted(shell)
      continue
    }
    if (typeof status !== "object") return 127
    rememberExit(shell, status.pid, status.exitCode)
  }
}

const killBuiltin: Builtin = async (shell, args) => {
  let at = 1
  let signal: number | undefined = Signal.SIGTERM
  const first = args[1] ?? ""
  if (first === "-l" || first === "-L") {
    const text = listSignals(args.slice(2))
    return text === undefined
      ? shell.reportError(`kill: ${args[2]}: invalid signal specification`)
      : shell.writeOutput(`${text}\n`)
  }
  if (first === "-s" || first === "-n") {
    signal = signalNumber(args[2] ?? "")
    at = 3
  } else if (/^-[^-]/.test(first)) {
    signal = signalNumber(first.slice(1))
    at = 2
  }
  if (signal === undefined) return shell.reportError(`kill: ${first.replace(/^-/, "")}: invalid signal specification`)
  if (args[at] === "--") at++
  if (at >= args.length) {
    return shell.reportError(
      "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
      2,
    )
  }
  let status = 0
  for (const word of args.slice(at)) {
    const pid = word.startsWith("%") ? jobOf(shell, word)?.pid : /^-?\d+$/.test(word) ? Number(word) : NaN
    if (pid === undefined) status = await shell.reportError(`kill: ${word}: no such job`)
    else if (Number.isNaN(pid)) status = await shell.reportError(`kill: ${word}: arguments must be process or job IDs`)
    else {
      const sent = shell.system.kill(pid, signal)
      if (sent < 0) status = await shell.reportError(`kill: (${pid}) - ${errnoText(sent)}`)
    }
  }
  return status
}

const formatJob = (job: Job, mark: string): string => {
  const state = job.exitCode === undefined ? "Running" : job.exitCode === 0 ? "Done" : `Exit ${job.exitCode}`
  return `[${job.number}]${mark}  ${state.padEnd(24)}${job.text}${job.exitCode === undefined ? " &" : ""}\n`
}

const jobsBuiltin = withOptions("lnprs", (shell, { letters, rest }) => {
  reapChildren(shell)
  const known = shell.jobs.length > 0 ? shell.jobs : shell.parentJobs
  const wanted = rest.map((word) => jobOf(shell, word.startsWith("%") ? word : `%${word}`))
  const missing = wanted.indexOf(undefined)
  if (missing >= 0) return shell.reportError(`jobs: ${rest[missing]}: no such job`)
  const shown = known.filter((job) =>
    (!letters.has("r") || job.exitCode === undefined) && (rest.length === 0 || wanted.includes(job))
  )
  const text = shown.map((job) =>
    letters.has("p") ? `${job.pid}\n` : formatJob(job, job === known.at(-1) ? "+" : job === known.at(-2) ? "-" : " ")
  ).join("")
  shell.jobs = shell.jobs.filter((job) => job.exitCode === undefined || !shown.includes(job))
  return shell.writeOutput(text)
})

/** Waits for a background job, since jobs are never stopped here. */
const resumeJob: Builtin = async (shell, [name = "", text = "%%"]) => {
  const job = jobOf(shell, text.startsWith("%") ? text : `%${text}`)
  if (job === undefined) return shell.reportError(`${name}: ${text === "%%" ? "current" : text}: no such job`)
  if (name === "bg") return 0
  await shell.print(`${job.text}\n`)
  const status = await waitOne(shell, job.pid)
  shell.jobs = shell.jobs.filter((candidate) => candidate !== job)
  return status < 0 ? interrupted(shell) : status
}

const disownJobs: Builtin = (shell, args) => {
  const wanted = args.slice(1).filter((word) => !word.startsWith("-")).map((word) =>
    word.startsWith("%") ? jobOf(shell, word)?.pid : Number(word)
  )
  shell.jobs = wanted.length === 0 ? [] : shell.jobs.filter((job) => !wanted.includes(job.pid))
  return 0
}

export const jobBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["wait", waitBuiltin],
  ["kill", killBuiltin],
  ["jobs", jobsBuiltin],
  ["fg", resumeJob],
  ["bg", resumeJob],
  ["disown", disownJobs],
]
