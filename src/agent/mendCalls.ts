/** Repairs ids, names and arguments of tool calls that a model or its server got wrong. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isTooDeep } from "../base/isTooDeep.ts"

interface AnswerPart {
  readonly type: string
}

interface CallPart extends AnswerPart {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  readonly params: unknown
}

const isCall = (part: AnswerPart): part is CallPart =>
  part.type === "tool-call" && "id" in part && typeof part.id === "string" && "name" in part &&
  typeof part.name === "string" && "params" in part

/** Ids that every provider accepts in a later prompt. */
const idPattern = /^[\x21-\x7e]{1,256}$/

/** Tool names that every provider accepts. */
const namePattern = /^[\w-]{1,64}$/

const toJson = Schema.decodeUnknownOption(Schema.Json)

const jsonOf = (params: unknown): Schema.Json =>
  isTooDeep(params) ? "too deep" : Option.getOrElse(toJson(params), () => String(params))

/** Returns the parts with a distinct id for every call. New ids are derived from the id of the request. */
export const mendCalls = <P extends AnswerPart>(parts: ReadonlyArray<P>, correlationId: string): ReadonlyArray<P> => {
  const seen = new Set<string>()
  const turn = correlationId.slice(correlationId.lastIndexOf("/") + 1)
  return parts.map((part) => {
    if (!isCall(part)) return part
    const isGood = idPattern.test(part.id) && !seen.has(part.id)
    const id = isGood ? part.id : `call_${turn}_${seen.size + 1}`
    seen.add(id)
    const name = namePattern.test(part.name) ? part.name : part.name.slice(0, 64).replace(/[^\w-]/g, "_") || "_"
    return { ...part, id, name, params: jsonOf(part.params) }
  })
}
