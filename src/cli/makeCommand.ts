/** Converts the specs of subcommands into commands of effect/cli, and prints its help and its usage errors. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliOutput from "effect/cli/CliOutput"
import type { CliError } from "effect/cli/CliError"
import type { CommandGroup, CommandSpec, CommandWords, OperandSpec } from "./CommandSpec.ts"
import type { FlagSpec, FlagSpecs, FlagTexts } from "./FlagSpec.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { didYouMean } from "../base/findNearest.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

type Texts = ReadonlyArray<string>

interface GivenFlags {
  readonly flags: Readonly<Record<string, Texts>>
}

/** Called with the first subcommand of a command line and its words. */
type OnCommand = (command: string, words: CommandWords) => void

/** Makes a flag whose value is the texts given for it; a switch that is on has one. */
const makeFlag = (name: string, { about, alias, kind, metavar }: FlagSpec<unknown>): Flag.Flag<Texts> => {
  const aliased = <A>(flag: Flag.Flag<A>): Flag.Flag<A> => alias === undefined ? flag : Flag.withAlias(flag, alias)
  if (kind === "switch") {
    const flag = Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(about), Flag.withDefault(false))
    return Flag.map(aliased(flag), (is): Texts => is ? ["true"] : [])
  }
  const text = aliased(Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about)))
  return kind === "list"
    ? Flag.atLeast(text, 0)
    : Flag.map(Flag.optional(text), (given): Texts => Option.toArray(given))
}

const makeFlags = (specs: FlagSpecs): Record<string, Flag.Flag<Texts>> =>
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeFlag(name, spec)]))

const givenTexts = (...all: ReadonlyArray<GivenFlags>): FlagTexts =>
  new Map(all.flatMap(({ flags }) => Object.entries(flags).filter(([, texts]) => texts.length > 0)))

const makeOperands = ({ about, max, min, name }: OperandSpec): Argument.Argument<Texts> => {
  const one = Argument.withDescription(Argument.String(name), about)
  if (max > 1) return Argument.variadic(one, max === Infinity ? { min } : { min, max })
  return min === 1
    ? Argument.map(one, (text): Texts => [text])
    : Argument.map(Argument.optional(one), (text): Texts => Option.toArray(text))
}

const makeSecondOperand = ({ about, name }: Pick<OperandSpec, "name" | "about">): Argument.Argument<Texts> =>
  makeOperands({ name, about, min: 0, max: 1 })

/** Makes the command of a spec; `above` reads the flags of its group. */
const makeSubcommand = <E, R>(
  spec: CommandSpec,
  above: Effect.Effect<GivenFlags, E, R>,
  onWords: (words: CommandWords) => void,
) =>
  Command.make(
    spec.name,
    {
      flags: makeFlags(spec.flags),
      ...(spec.operand === undefined ? undefined : { operands: makeOperands(spec.operand) }),
      ...(spec.secondOperand === undefined ? undefined : { second: makeSecondOperand(spec.secondOperand) }),
    },
    (given) =>
      Effect.map(above, (shared) => {
        const operands = "operands" in given ? given.operands : undefined
        const second = "second" in given ? given.second : undefined
        onWords({
          name: spec.name,
          flags: givenTexts(shared, given),
          operands: [...operands ?? [], ...second ?? []],
        })
      }),
  ).pipe(
    Command.withDescription(spec.about),
    Command.withShortDescription(spec.short),
    Command.withExamples(spec.examples.map(([command, description]) => ({ command, description }))),
  )

const makeGroup = ({ about, commands, flags, name, short }: CommandGroup, onCommand: OnCommand) => {
  const group = Command.make(name).pipe(Command.withSharedFlags({ flags: makeFlags(flags) }))
  return group.pipe(
    Command.withDescription(about),
    Command.withShortDescription(short),
    Command.withSubcommands(commands.map((spec) => makeSubcommand(spec, group, (words) => onCommand(name, words)))),
  )
}

export const makeCommand = (
  name: string,
  about: string,
  subcommands: ReadonlyArray<CommandSpec | CommandGroup>,
  onCommand: OnCommand,
): Command.Command<string, {}> =>
  Command.make(name).pipe(
    Command.withDescription(about),
    Command.withSubcommands(
      subcommands.map((spec) =>
        "commands" in spec
          ? makeGroup(spec, onCommand)
          : makeSubcommand(spec, Effect.succeed({ flags: {} }), (words) => onCommand(spec.name, words))
      ),
    ),
  )

const describeUsageError = (error: CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown flag ${error.option}${didYouMean(error.suggestions)}`
    case "UnknownSubcommand":
      return `unknown command ${error.subcommand}${didYouMean(error.suggestions)}`
    case "MissingArgument":
      if (error.argument === "ID") return "missing ID: give the id of a command, or last for the newest"
      return error.argument === "SCRIPT"
        ? "missing script: quote it, as in sluice sandbox 'seq 9 | wc -l'"
        : error.argument === "COMMAND"
        ? "missing command: write it after the flags, as in sluice run -- git log"
        : `missing ${error.argument}`
    default:
      return error.message
  }
}

/**
 * Makes the presenter of effect/cli: help and version go to stdout, errors to stderr. A usage error is one line instead
 * of the whole help.
 */
export const makePresenter = (output: OutputWriter, colors: boolean): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors })
  const print = (fd: 1 | 2, text: string): Effect.Effect<void> =>
    Effect.ignore(output.write(fd, encodeUtf8(`${text.trim()}\n`)))
  return {
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return print(event.reason === "Requested" ? 1 : 2, formatter.formatHelpDoc(event.helpDoc))
        case "Version":
          return print(1, formatter.formatVersion(event.name, event.version))
        case "InvalidInvocation": {
          const problems = event.errors.map(describeUsageError).join("; ")
          return tryMessage(output, `${problems} (see ${event.commandPath.join(" ")} --help)`)
        }
      }
    },
  }
}
