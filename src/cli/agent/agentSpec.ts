/** Describes `sluice agent`: its help and its flags. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import type { ModelPrices } from "../../agent/AgentUsage.ts"
import type { CommandSpec } from "../CommandSpec.ts"
import { type IsolationFlags, isolationFlags } from "../isolationFlags.ts"
import { combinedFlag, type FlagTable, switchFlag, valueFlag } from "../FlagSpec.ts"
import { type ServerTokenFlags, serverTokenFlags } from "../serverTokenFlags.ts"
import { parseChoice, parseCountFrom, type Parsed, parseNonEmpty, parsePositiveDuration } from "../parseValues.ts"
import { type RedactionFlags, redactionFlags } from "../runFlags.ts"

const parseCount = parseCountFrom(1)

const parsePositive = (text: string): Parsed<number> =>
  /^\d{1,12}(?:\.\d{1,9})?$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(`${quote(text)} is not a number, such as 0.25`)

const names: ReadonlyMap<string, keyof ModelPrices> = new Map<string, keyof ModelPrices>([
  ["input", "input"],
  ["output", "output"],
  ["cached", "cachedInput"],
  ["cache-write", "cacheWrite"],
])

/** Prices by name: `input=3,output=15`. */
const parsePrices = (texts: ReadonlyArray<string>): Parsed<ModelPrices> =>
  Result.gen(function* () {
    const prices: Partial<Record<keyof ModelPrices, number>> = {}
    for (const part of texts.flatMap((text) => text.split(","))) {
      const at = part.indexOf("=")
      const name = names.get(part.slice(0, Math.max(0, at)).trim())
      if (name === undefined) {
        return yield* Result.fail(
          `${quote(part)} is not a price; write ${[...names.keys()].map((each) => `${each}=N`).join(", ")}`,
        )
      }
      prices[name] = yield* parsePositive(part.slice(at + 1).trim())
    }
    const { input, output } = prices
    if (input === undefined || output === undefined) return yield* Result.fail("input=N and output=N are both needed")
    return { ...prices, input, output }
  })

export type ApproveMode = "read-only" | "workspace-write" | "full" | "ask"

export interface AgentFlags extends RedactionFlags, ServerTokenFlags, IsolationFlags {
  readonly "model": string | undefined
  readonly "base-url": string | undefined
  readonly "cwd": string | undefined
  readonly "sandbox": boolean
  readonly "url": string | undefined
  readonly "approve": ApproveMode | undefined
  readonly "record": string | undefined
  readonly "replay": string | undefined
  readonly "resume": string | undefined
  readonly "max-turns": number | undefined
  readonly "max-tokens": number | undefined
  readonly "max-cost": number | undefined
  readonly "prices": ModelPrices | undefined
  /** Time in milliseconds. */
  readonly "timeout": number | undefined
  readonly "json": boolean
}

export const agentFlags: FlagTable<AgentFlags> = {
  "model": valueFlag(
    "PROVIDER/NAME",
    "The model, such as openai/gpt-5, google/gemini-2.5-pro, anthropic/claude-sonnet-4-5, or openai-compatible/NAME with --base-url for a server of your own. Default: SLUICE_MODEL",
    parseNonEmpty,
  ),
  "base-url": valueFlag(
    "URL",
    "Address of the provider's API, such as http://localhost:11434/v1. Default: the provider's own",
    parseNonEmpty,
  ),
  "cwd": valueFlag("DIR", "Work in this folder; with --sandbox, in a copy in memory. Default: .", parseNonEmpty),
  "sandbox": switchFlag("Work in a sandbox in this process: files in memory, and the usual utilities as commands"),
  "url": valueFlag("URL", "Work on an execution server: its commands and its files", parseNonEmpty),
  ...serverTokenFlags,
  "approve": valueFlag(
    "MODE",
    "What is allowed without asking: read-only (all else is denied), ask (reads), workspace-write (reads, and writes in the folder; default), full (everything; default with --sandbox)",
    parseChoice<ApproveMode>("a mode", ["read-only", "ask", "workspace-write", "full"]),
  ),
  "record": valueFlag(
    "FILE",
    "Write everything into this journal. Default: SLUICE_JOURNAL, else nowhere",
    parseNonEmpty,
  ),
  "replay": valueFlag(
    "FILE",
    "Replay a recorded run, without network or model. With --cwd, --sandbox or --url its calls are repeated there; otherwise nothing is executed",
    parseNonEmpty,
  ),
  "resume": valueFlag("ID", "Continue the stopped or killed run of the journal with this id", parseNonEmpty),
  "max-turns": valueFlag("N", "Maximum number of answers of the model. Default: 50", parseCount),
  "max-tokens": valueFlag("N", "Stop after this many tokens, in and out. Default: no limit", parseCount),
  "prices": combinedFlag(
    "NAME=N",
    "Prices per million tokens, comma-separated: input=3,output=15,cached=0.3,cache-write=3.75; for --max-cost",
    parsePrices,
  ),
  "max-cost": {
    ...valueFlag("N", "Stop at this cost. Default: no limit", parsePositive),
    requires: "prices",
  },
  "timeout": valueFlag("D", "Stop after this time, as in 90s or 10m. Default: none", parsePositiveDuration),
  "json": switchFlag("Print events as NDJSON"),
  ...isolationFlags("the folder of --cwd"),
  ...redactionFlags,
}

export const agentSpec: CommandSpec = {
  name: "agent",
  short: "Let a model work on a task",
  about: `Let a model work on a task with tools: it reads and writes files of one folder and runs commands there.

  The model's text goes to stdout, its tool calls to stderr. Calls that --approve does not allow are asked about on the
  terminal, and denied where there is none. An answer may be remembered for the run, also when it is resumed, or for the
  folder, in XDG_STATE_HOME or ~/.local/state. That file and the journal are denied to the agent.

  With --record everything is in one journal under the id of the run: prompts, answers, calls, files and commands,
  without keys and known token formats. sluice journal list --runs lists runs, and sluice journal show ID draws one.

  The providers' packages are optional: npm install @ai-sdk/openai (or google, anthropic, openai-compatible). Keys come
  from OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, ANTHROPIC_API_KEY.

  Exit status: 0 done; 1 it stopped early (a limit, a refusal, an answer cut off); 124 timed out; 130
  stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure, including a usage error. Ctrl-C stops the turn
  and what it runs; a second Ctrl-C kills it.`,
  operand: { name: "TASK", about: "The task, quoted; not needed with --resume and --replay", min: 0, max: 1 },
  flags: agentFlags,
  examples: [
    ["sluice agent 'fix the failing test' --model openai/gpt-5 --record run.db", "Work here, journaled"],
    ["sluice agent --replay run.db", "Show the run again; nothing is executed"],
    ["sluice agent --replay run.db --cwd copy --approve full", "Repeat its calls in another folder"],
    ["sluice agent --resume 0198… --record run.db --model openai/gpt-5", "Continue a run that was killed"],
  ],
}
