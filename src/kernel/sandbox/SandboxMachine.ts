/** Resolves the clock, the random bytes and the scheduler of a sandbox. */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { CountedScheduler } from "../process/CountedScheduler.ts"
import type { KernelClock } from "../process/KernelClock.ts"
import type { SandboxOptions } from "./SandboxOptions.ts"

export interface SandboxMachine {
  readonly clock: KernelClock | undefined
  readonly random: ((into: Uint8Array) => void) | undefined
  /** The scheduler of a sandbox with a seed. */
  readonly scheduler: CountedScheduler | undefined
  /** Makes that of a fork. */
  readonly fork: () => SandboxMachine
}

const defaultStartTime = "2026-01-01T00:00:00Z"

const readStartTime = (where: string, { clock, random, seed, startTime }: SandboxOptions): bigint => {
  if (seed === undefined) {
    if (startTime === undefined) return 0n
    throw new OptionError("startTime", `${where}: startTime: a sandbox without a seed has the time of its clock`)
  }
  if (typeof seed === "number" ? !Number.isFinite(seed) : typeof seed !== "string") {
    throw new OptionError("seed", `${where}: seed: write a finite number or a string`)
  }
  if (clock !== undefined || random !== undefined) {
    const name = clock === undefined ? "random" : "clock"
    throw new OptionError("seed", `${where}: seed: it decides ${name}; leave out one of them`)
  }
  const millis = new Date(startTime ?? defaultStartTime).getTime()
  if (Number.isNaN(millis)) throw new OptionError("startTime", `${where}: startTime: write a date that exists`)
  return BigInt(Math.trunc(millis)) * 1_000_000n
}

/** Fails with an `OptionError` for a seed or a start time that is invalid. */
export const makeMachine = (where: string, options: SandboxOptions): Effect.Effect<SandboxMachine, OptionError> =>
  Effect.gen(function* () {
    const { clock, random, seed } = options
    const startTime = yield* attemptOptions(() => readStartTime(where, options))
    if (seed === undefined) {
      const machine: SandboxMachine = { clock, random, scheduler: undefined, fork: () => machine }
      return machine
    }
    const { forkRepeatable, makeRepeatable } = yield* Effect.promise(() => import("./repeatable.ts"))
    const withFork = (made: ReturnType<typeof makeRepeatable>): SandboxMachine => ({
      ...made,
      fork: () => withFork(forkRepeatable(made)),
    })
    return withFork(makeRepeatable(seed, startTime))
  })
