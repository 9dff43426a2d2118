/** Runs the scripts of a job (`batch.fixture.ts JOB ANSWERS`) behind its policy, on the local leaf; writes a line for each. */
import * as Effect from "effect/Effect"
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { LocalShell, Shell, ShellExec, type ShellFault } from "../../../mod.ts"
import { AccessPolicy } from "../../../src/policy/mod.ts"
import { atMost } from "../../support/atMost.ts"
import type { Answer, Item, Job } from "./job.ts"
import { caseVariable } from "./judge.ts"

const [jobFile = "", answersFile = ""] = process.argv.slice(2)
const job: Job = JSON.parse(readFileSync(jobFile, "utf8"))

const execOf = ({ environment, id, script, words }: Item): ShellExec => {
  const folder = join(job.place, id)
  mkdirSync(folder, { recursive: true })
  const options = { cwd: folder, timeout: job.timeoutMillis, env: { ...environment, [caseVariable]: id } }
  const [program = "", ...args] = words ?? []
  return script === undefined ? ShellExec.make(program, args, options) : ShellExec.shell(script, options)
}

const kept = (stdout: string, stderr: string): Pick<Answer, "stdout" | "stderr"> => ({
  stdout: stdout.slice(0, 100_000),
  stderr: stderr.slice(0, 2_000),
})

const ofFault = (id: string, { message, reason, stderr, stdout }: ShellFault): Answer => ({
  id,
  outcome: reason._tag === "NotAllowed" ? "refused" : "failed",
  fault: reason._tag,
  message,
  ...kept(stdout, stderr),
})

const run = (item: Item) =>
  Effect.suspend(() => Shell.run(execOf(item))).pipe(
    Effect.map(({ exitCode, stderr, stdout }): Answer => ({
      id: item.id,
      outcome: "ran",
      status: exitCode,
      ...kept(stdout, stderr),
    })),
    Effect.catchTag("ShellFault", (fault) => Effect.succeed(ofFault(item.id, fault))),
    // What is no ShellExec (a NUL in a script) is refused by its constructor; a defect of the shell is worth a line too.
    Effect.catchCause((cause) =>
      Effect.succeed<Answer>({
        id: item.id,
        outcome: "failed",
        fault: "Defect",
        message: String(cause).slice(0, 2_000),
      })
    ),
    Effect.map((answer) => appendFileSync(answersFile, `${JSON.stringify(answer)}\n`)),
  )

/** strace waits for all that it watches. In the enclosure there is nothing else than it, bubblewrap and what scripts left. */
const endLeftovers = (): void => {
  const commandOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
    } catch {
      return ""
    }
  }
  if (commandOf("1") !== "bwrap") return
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || /^(?:bwrap|strace|)$/.test(commandOf(pid))) continue
    try {
      process.kill(Number(pid), "SIGKILL")
    } catch {
      // It has ended meanwhile.
    }
  }
}

const policy = AccessPolicy.make(job.settings)
await Effect.runPromise(
  Effect.provide(atMost(job.concurrency, job.items, run), AccessPolicy.guard(policy)(LocalShell.layer)),
)
endLeftovers()
