/** Declares the error class of a command that did not run to its end, without its Schema. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import type { CommandId } from "../CommandId.ts"
import type { FaultReason } from "../FaultReason.ts"
import { noOutput, type PartialOutput } from "../PartialOutput.ts"
import { constructorFields, type ConstructorOptions, type FieldParser } from "./attachSchema.ts"

export interface FaultFields extends PartialOutput {
  readonly commandId: CommandId
  readonly reason: FaultReason
  readonly message: string
  readonly executable?: string
  readonly exception?: string
  readonly survivors?: ReadonlyArray<number>
}

/** Takes the fields unchecked. An attached Schema replaces it, because third-party leaves make faults, too. */
export const faultParser: FieldParser<FaultFields> = { parse: (fields) => fields }

/** Inserts the survivors into a message, before the code at its end. */
const withSurvivors = (message: string, survivors: ReadonlyArray<number>): string =>
  message.replace(/(?= \(\w+\)$)|$/, `, but could not be ended completely: ${survivors.join(", ")} still run`)

const Base: new (fields: FaultFields) => Cause.YieldableError & FaultFields & { readonly _tag: "ShellFault" } = Data
  .TaggedError("ShellFault")<FaultFields>

/** A fault; its documentation is that of the Schema class, which is this class with a Schema. */
export class ShellFault extends Base {
  constructor(fields: FaultFields, options?: ConstructorOptions) {
    super(constructorFields(faultParser, fields, options))
  }

  /** Makes a fault of a reason and a message, with the output that was captured before it (default: none). */
  static because(
    commandId: CommandId,
    reason: FaultReason,
    message: string,
    more?: Partial<PartialOutput> & {
      readonly executable?: string | undefined
      readonly exception?: unknown
      readonly survivors?: ReadonlyArray<number>
    },
  ): ShellFault {
    const { exception, executable, survivors = [], ...output } = more ?? {}
    return new ShellFault({
      commandId,
      reason,
      message: survivors.length === 0 ? message : withSurvivors(message, survivors),
      ...noOutput,
      ...output,
      ...(survivors.length === 0 ? undefined : { survivors }),
      ...(executable === undefined ? undefined : { executable }),
      ...(exception === undefined ? undefined : { exception: String(exception) }),
    })
  }
}

/** Copies a fault with some fields changed. */
export const withFaultFields = (
  fault: ShellFault,
  fields: Partial<PartialOutput & Pick<ShellFault, "commandId" | "reason" | "message">>,
  // `message` is not an enumerable property of an error: a spread alone would leave it out.
): ShellFault => new ShellFault({ ...fault, message: fault.message, ...fields })
