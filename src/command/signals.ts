/**
 * Converts signal names of Linux and macOS to numbers and back, and to exit codes of 128 + n.
 *
 * Source: signal(7); macOS `sys/signal.h`.
 */

/**
 * Signals, with Linux's numbers.
 *
 * @example
 * ```ts
 * import { System } from "@sluice/shell/kernel"
 *
 * console.log(System.Signal.SIGTERM, System.Signal.SIGKILL) // 15 9
 * ```
 */
export const linuxSignals = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPWR: 30,
  SIGSYS: 31,
} as const

const { SIGPWR: _power, SIGSTKFLT: _stackFault, ...common } = linuxSignals

const darwin: Readonly<Record<string, number>> = {
  ...common,
  SIGEMT: 7,
  SIGBUS: 10,
  SIGSYS: 12,
  SIGURG: 16,
  SIGSTOP: 17,
  SIGTSTP: 18,
  SIGCONT: 19,
  SIGCHLD: 20,
  SIGIO: 23,
  SIGINFO: 29,
  SIGUSR1: 30,
  SIGUSR2: 31,
}

const tableOf = (platform: string): Readonly<Record<string, number>> => platform === "darwin" ? darwin : linuxSignals

// signal(7): glibc keeps the first two real-time signals for itself.
const firstRealTime = 34
const lastRealTime = 64

/** The number of a signal; `undefined` for a name that the platform does not have. */
export const signalNumber = (name: string, platform: string = "linux"): number | undefined => {
  const table = tableOf(platform)
  if (Object.hasOwn(table, name)) return table[name]
  const realTime = platform === "linux" ? /^SIGRTMIN(?:\+(\d{1,2}))?$/.exec(name) : null
  const number = firstRealTime + Number(realTime?.[1] ?? 0)
  return realTime !== null && number <= lastRealTime ? number : undefined
}

/** Whether Linux or macOS has a signal of this name. */
export const isSignal = (name: string): boolean =>
  signalNumber(name, "linux") !== undefined || signalNumber(name, "darwin") !== undefined

/** The exit code that shells give a process which a signal ended: 128 + n; 128 when the signal is not known. */
export const exitCodeOfSignal = (name: string, platform: string = "linux"): number =>
  128 + (signalNumber(name, platform) ?? 0)

/** The name of a signal number; `undefined` for a number that the platform does not have. */
export const signalName = (number: number, platform: string = "linux"): string | undefined => {
  const named = Object.entries(tableOf(platform)).find(([, value]) => value === number)?.[0]
  if (named !== undefined || platform !== "linux" || number < firstRealTime || number > lastRealTime) return named
  return number === firstRealTime ? "SIGRTMIN" : `SIGRTMIN+${number - firstRealTime}`
}
