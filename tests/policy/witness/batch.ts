/** Runs many scripts behind a policy in one process under the witness, each in a folder of its own. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Answer, Job, Settings } from "./job.ts"
import { allowedFiles, caseVariable, type Stranger, strangers } from "./judge.ts"
import type { Execution } from "./straceLog.ts"
import { type Folders, runTraced } from "./traced.ts"

export interface BatchOptions {
  /** Folders that the process sees beside the system's; its place has to be among them. */
  readonly folders: Folders
  /** What the server's own environment has beside `PATH`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Programs that may start beside the list's: those that the test itself knows of. */
  readonly others?: ReadonlyArray<string>
  readonly seconds?: number
  readonly isWitnessed?: boolean
}

export interface Batch {
  readonly answers: ReadonlyMap<string, Answer>
  readonly executions: ReadonlyArray<Execution>
  readonly strangers: ReadonlyArray<Stranger>
  /** How the process ended, if not as it should, and what it said. */
  readonly trouble: string | undefined
}

/** A policy that lists what callers may set has to let through what names the case. */
const withCase = (settings: Settings): Settings => {
  const allow = settings.environment?.allow
  return allow === undefined
    ? settings
    : { ...settings, environment: { ...settings.environment, allow: [...allow, caseVariable] } }
}

/** Concurrency 4 and five seconds a script, unless the caller says otherwise. */
export const runBatch = async (
  { concurrency = 4, timeoutMillis = 5_000, ...asked }: Partial<Job> & Pick<Job, "settings" | "place" | "items">,
  { environment = {}, folders, isWitnessed = true, others = [], seconds = 600 }: BatchOptions,
): Promise<Batch> => {
  const desk = realpathSync(mkdtempSync(join(tmpdir(), "sluice-batch-")))
  const job: Job = { ...asked, settings: withCase(asked.settings), concurrency, timeoutMillis }
  const [jobFile, answersFile] = [join(desk, "job.json"), join(desk, "answers.ndjson")]
  const searchPath = job.settings.searchPath ?? environment["PATH"] ?? "/usr/bin:/bin"
  try {
    writeFileSync(jobFile, JSON.stringify(job))
    writeFileSync(answersFile, "")
    const { executions, status, stderr } = await runTraced(
      new URL("./batch.fixture.ts", import.meta.url),
      [jobFile, answersFile],
      {
        // The file alone can be written: what is mounted cannot be deleted by a script.
        folders: [...folders, ["read", desk, desk], ["write", answersFile, answersFile]],
        environment: { PATH: searchPath, LANG: "C.UTF-8", HOME: job.place, ...environment },
        seconds,
        isWitnessed,
      },
    )
    const lines = readFileSync(answersFile, "utf8").split("\n")
    const answers = lines.filter((line) => line !== "").map((line): Answer => JSON.parse(line))
    const allowed = allowedFiles([...job.settings.allowedCommands, ...others], searchPath)
    return {
      answers: new Map(answers.map((answer) => [answer.id, answer])),
      executions,
      strangers: strangers(executions, allowed, (id) => join(job.place, id)),
      trouble: status === 0 ? undefined : `${status}: ${stderr.slice(-4_000)}`,
    }
  } finally {
    rmSync(desk, { recursive: true, force: true })
  }
}
