/** Formats an error of a journal for the command line: the remedy stands behind an entry that cannot be read. */
import type { JournalError } from "../../journal/JournalError.ts"

/** The message without its prefix. A store whose message names a remedy keeps that. */
export const describeDamage = ({ message, reason }: JournalError): string => {
  const isLost = reason._tag === "Corrupt" && reason.position !== undefined && !message.includes("sluice journal ")
  const remedy = isLost ? '; "sluice journal salvage FROM TO" copies what can be read into a new journal' : ""
  return `${message.replace(/^journal: /, "")}${remedy}`
}
