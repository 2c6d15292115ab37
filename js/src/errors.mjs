// Errors that carry what kind of fault it was, as a word that programs can compare.

/** The words for the numbers of enum tsr_status in tessera.h. */
const kCodes = [
  'ok', 'invalid-argument', 'disposed', 'not-found', 'bad-file', 'unsupported', 'out-of-memory', 'device-lost', 'cancelled', 'internal',
];

export class TesseraError extends Error {
  /**
   * @param {number|string} code a number of enum tsr_status, or its word
   * @param {string} message one sentence
   * @param {{cause?: unknown}=} options
   */
  constructor(code, message, options) {
    super(message);
    this.name = 'TesseraError';
    /** What kind of fault it was: 'invalid-argument', 'disposed', 'not-found', 'bad-file', 'unsupported', 'out-of-memory', ... */
    this.code = typeof code === 'number' ? kCodes[code] ?? 'internal' : code;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}

/** The rejection for an aborted signal: its reason, which is an AbortError unless the caller chose another. */
export function abortReason(signal) {
  return signal.reason ?? new DOMException('This operation was aborted', 'AbortError');
}
