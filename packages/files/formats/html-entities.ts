import { decodeHTML, decodeHTMLAttribute } from "entities"

/** Text with its entities read, once: what comes out is not read again. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? plainSpaces(decodeHTML(text)) : text
}

/** In an attribute `&copy=1` is no sign: it belongs to an address. */
export function decodeAttribute(value: string): string {
  return value.includes("&") ? plainSpaces(decodeHTMLAttribute(value)) : value
}

/** A space that does not break is a space, and a place where a word may break is nothing. */
function plainSpaces(text: string): string {
  return text.replaceAll("\u00A0", " ").replaceAll("\u00AD", "")
}
