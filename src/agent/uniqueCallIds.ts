/**
 * Gives calls of tools ids where a model gave none, or one twice: results are told to the model by these ids.
 *
 * @module
 */

/** A part of an answer, of which some are calls. */
interface AnswerPart {
  readonly type: string
}

const isCall = (part: AnswerPart): part is AnswerPart & { readonly type: "tool-call"; readonly id: string } =>
  part.type === "tool-call" && "id" in part && typeof part.id === "string"

/** The parts, in which every call has an id of its own. New ids follow from the id of the request. */
export const uniqueCallIds = <P extends AnswerPart>(
  parts: ReadonlyArray<P>,
  correlationId: string,
): ReadonlyArray<P> => {
  const seen = new Set<string>()
  const turn = correlationId.slice(correlationId.lastIndexOf("/") + 1)
  return parts.map((part) => {
    if (!isCall(part)) return part
    const isFree = part.id !== "" && !seen.has(part.id)
    const id = isFree ? part.id : `call_${turn}_${seen.size + 1}`
    seen.add(id)
    return isFree ? part : { ...part, id }
  })
}
