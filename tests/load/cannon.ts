/**
 * The load tool, autocannon, in a process of its own: `cannon.ts JOB` sends commands over many connections, each command
 * with an id and an output of its own, and looks at every answer. It prints lines of JSON, the last of which tells all: see
 * {@link Shot}.
 */
import { createRequire } from "node:module"
import process from "node:process"
import { decodeJob, isRecord, type Shot, type Shots } from "./Shot.ts"

interface Context {
  id?: string
}

interface Options {
  readonly url: string
  readonly method: "POST"
  readonly amount: number
  readonly connections: number
  /** Seconds for an answer. */
  readonly timeout: number
  /** Milliseconds between two looks at whether all is done. */
  readonly sampleInt: number
  readonly headers: Readonly<Record<string, string>>
  readonly requests: ReadonlyArray<{
    readonly setupRequest: (request: object, context: Context) => object
    readonly onResponse: (status: number, body: string, context: Context) => void
  }>
}

const autocannon: (options: Options) => Promise<{ readonly errors: number; readonly timeouts: number }> = createRequire(
  import.meta.url,
)("autocannon")

const job = decodeJob(process.argv[2] ?? "")

const tell = (shot: Shot): void => void process.stdout.write(`${JSON.stringify(shot)}\n`)

let made = 0
const statuses: Record<string, number> = {}
let ran: Array<string> = []
const wrong: Array<string> = []

/** Whether an answer is the output of its command, and of no other. */
const isRight = (body: string, id: string): boolean => {
  const output: unknown = JSON.parse(body)
  return isRecord(output) && output["exitCode"] === 0 && output["stdout"] === `${id}\n` && output["commandId"] === id
}

const { errors, timeouts } = await autocannon({
  url: `${job.url}exec`,
  method: "POST",
  amount: job.amount,
  connections: job.connections,
  timeout: 120,
  sampleInt: 100,
  headers: { "authorization": `Bearer ${job.token}`, "content-type": "application/json" },
  requests: [{
    setupRequest: (request, context) => {
      const id = `${job.name}-${made++}`
      context.id = id
      const args = [...job.command.slice(1), id]
      return { ...request, body: JSON.stringify({ commandId: id, command: job.command[0], arguments: args }) }
    },
    onResponse: (status, body, { id = "" }) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200) ran.push(id)
      if (status === 200 ? !isRight(body, id) : wrong.length < 5 && status !== 503) {
        wrong.push(`${id}: ${status} ${body}`)
      }
      if (ran.length < 20) return
      tell({ ran })
      ran = []
    },
  }],
})
const shots: Shots = { made, errors, timeouts, statuses, wrong }
tell({ ran, shots })
