/** Implements the utilities of a terminal without one: `less`, `more`, `clear` and `tput`. */
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const copy = async (io: UtilityIo, hasTitles = false): Promise<void> => {
  const ruler = ":".repeat(14)
  for (const input of io.inputs()) {
    if (hasTitles && input.path !== "-") io.print(`${ruler}\n${input.path}\n${ruler}\n`)
    for await (const chunk of io.chunks(input)) {
      const written = await io.system.writeAll(1, chunk)
      if (written < 0) io.fail("write error", written)
    }
  }
}

const noTerminal = "files are copied where there is no terminal"

/** `less [-FRSX] [FILE]...`: prints files, as it does where standard output is no terminal. Source: less(1). */
export const less: Program = defineUtility(
  "less",
  "",
  (io) => copy(io),
  { withoutEffect: { "F|quit-if-one-screen R|RAW-CONTROL-CHARS S|chop-long-lines X|no-init": noTerminal } },
)

/** `more [FILE]...`: prints files. Source: more(1). */
export const more: Program = defineUtility("more", "", (io) => copy(io, true))

/** `clear`: writes the sequence that clears a terminal. Source: clear(1). */
export const clear: Program = defineUtility("clear", "x T:", (io) => {
  if (io.has("T")) io.fail("option -T is not supported: the sequence is that of xterm")
  io.print(io.has("x") ? "\x1b[H\x1b[2J" : "\x1b[H\x1b[2J\x1b[3J")
})

const sequences: Readonly<Record<string, string>> = {
  ...{
    bold: "\x1b[1m",
    dim: "\x1b[2m",
    smul: "\x1b[4m",
    rmul: "\x1b[24m",
    rev: "\x1b[7m",
    smso: "\x1b[7m",
    rmso: "\x1b[27m",
  },
  ...{ sgr0: "\x1b(B\x1b[m", sitm: "\x1b[3m", ritm: "\x1b[23m", blink: "\x1b[5m", clear: "\x1b[H\x1b[2J\x1b[3J" },
  ...{
    civis: "\x1b[?25l",
    cnorm: "\x1b[?12l\x1b[?25h",
    el: "\x1b[K",
    ed: "\x1b[J",
    home: "\x1b[H",
    bel: "\x07",
    op: "\x1b[39;49m",
  },
}

/**
 * `tput [-T xterm] CAPABILITY [NUMBER]...`: prints what xterm-256color has for a capability. Source: tput(1),
 * terminfo(5).
 */
export const tput: Program = defineUtility("tput", "+T:", (io) => {
  const [name = "", one = "0", two = "0"] = io.operands
  const terminal = io.value("T") ?? "xterm"
  if (!/^(xterm|screen|tmux|linux)/.test(terminal)) {
    io.printError(`unknown terminal "${terminal}"`)
    return 3
  }
  const [first, second] = [Number(one), Number(two)]
  if (!(first >= 0 && second >= 0)) io.fail(`${one}, ${two}: not numbers`)
  const color = (base: number): string =>
    first < 8
      ? `\x1b[${base}${first}m`
      : first < 16
      ? `\x1b[${base === 3 ? 9 : 10}${first - 8}m`
      : `\x1b[${base}8;5;${first}m`
  const sizes: Readonly<Record<string, string>> = {
    cols: `${io.system.env.get("COLUMNS") ?? "80"}\n`,
    lines: `${io.system.env.get("LINES") ?? "24"}\n`,
    colors: "256\n",
  }
  const moved: Readonly<Record<string, string>> = {
    setaf: color(3),
    setab: color(4),
    cup: `\x1b[${first + 1};${second + 1}H`,
    cuf: `\x1b[${first}C`,
    cub: `\x1b[${first}D`,
    cuu: `\x1b[${first}A`,
    cud: `\x1b[${first}B`,
  }
  const text = sequences[name] ?? sizes[name] ?? moved[name]
  if (text === undefined) {
    io.printError(`unknown terminfo capability '${name}'`)
    return 4
  }
  io.print(text)
  return 0
}, { errorExitCode: 2, minOperands: 1 })

/** `nproc [--all] [--ignore=N]`: prints the number of processors: programs of the kernel run on one. Source: nproc(1). */
export const nproc: Program = defineUtility("nproc", "ignore:", (io) => {
  io.count("ignore", 0, (text) => `invalid number: ‘${text}’`)
  io.print("1\n")
}, { maxOperands: 0, withoutEffect: { all: "there is one processor" } })
