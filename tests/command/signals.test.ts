import { expect, it } from "@effect/vitest"
import { constants } from "node:os"
import { exitCodeOfSignal, signalName, signalNumber } from "../../src/command/signals.ts"

const platforms = ["linux", "darwin"]

/** Other names of the same signals, and some that newer systems have no more. */
const aliases = new Set(["SIGIOT", "SIGPOLL", "SIGUNUSED", "SIGCLD", "SIGLOST", "SIGEMT", "SIGINFO", "SIGBREAK"])

it("knows every signal of this system by the system's own number", () => {
  const known = Object.entries(constants.signals).filter(([name]) => !aliases.has(name))
  expect(known.length).toBeGreaterThan(25)
  for (const [name, number] of known) {
    expect([name, signalNumber(name, process.platform)]).toEqual([name, number])
    expect(signalName(number, process.platform)).toBe(name)
  }
})

it("names each number once, and numbers each name", () => {
  for (const platform of platforms) {
    const names = Array.from({ length: 64 }, (_, index) => signalName(index + 1, platform)).filter((name) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(28)
    for (const name of names) {
      const number = signalNumber(name ?? "", platform)
      expect(signalName(number ?? 0, platform)).toBe(name)
      expect(exitCodeOfSignal(name ?? "", platform)).toBe(128 + (number ?? 0))
    }
  }
})

it("distinguishes the platforms", () => {
  expect([exitCodeOfSignal("SIGUSR1", "linux"), exitCodeOfSignal("SIGUSR1", "darwin")]).toEqual([138, 158])
  expect([signalName(16, "linux"), signalName(16, "darwin")]).toEqual(["SIGSTKFLT", "SIGURG"])
  expect([signalName(30, "linux"), signalName(30, "darwin")]).toEqual(["SIGPWR", "SIGUSR1"])
  expect([signalNumber("SIGPWR", "darwin"), signalNumber("SIGINFO", "linux")]).toEqual([undefined, undefined])
})

it("names real-time signals from SIGRTMIN on, on Linux", () => {
  expect([signalName(34), signalName(35), signalName(64)]).toEqual(["SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+30"])
  expect([signalNumber("SIGRTMIN"), signalNumber("SIGRTMIN+30")]).toEqual([34, 64])
  expect([signalNumber("SIGRTMIN+31"), signalName(65), signalName(33)]).toEqual([undefined, undefined, undefined])
})

it("knows no names that only objects have", () => {
  for (const name of ["toString", "constructor", "__proto__", ""]) {
    expect(signalNumber(name)).toBeUndefined()
    expect(exitCodeOfSignal(name)).toBe(128)
  }
})
