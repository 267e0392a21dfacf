// The ways in which a call can be made to fail, each as a fault of a scenario.
const BUSINESS = {
  'sentiment-locations': [2151, 'Not a valid reseller/enterprise id.'],
  'sentiment-benchmark': [2151, 'Not a valid reseller/enterprise id.'],
  contact: [1532, 'Business id is missing or invalid.'],
};

/** Ten templates for an operation: what stands on the radio, a word for the fault's name, and its `then`. */
export function templates(operation) {
  const [code, message] = BUSINESS[operation] || [1011, 'Business id is invalid'];
  return [
    { label: '503 Service unavailable', hint: 'A client should try again.', word: '503', then: { status: 503 } },
    { label: '429 with code 89, Retry-After 2 s', hint: 'The rate limit. A client should wait as long.', word: '89', then: { error: 89, retry_after: '2s' } },
    { label: '500 with code 500, Internal server error', hint: 'The API itself fails.', word: '500', then: { error: 500 } },
    { label: '401 with code 1161, Invalid API key', hint: 'No retry helps. A client should say so.', word: '1161', then: { error: 1161 } },
    { label: `404 with code ${code}, ${message}`, hint: 'No retry helps either.', word: String(code), then: { error: code } },
    { label: '502 with a page of HTML', hint: 'A gateway answers, and not in JSON.', word: '502', then: { status: 502, text: '<html><body>Bad gateway</body></html>', headers: { set: { 'content-type': 'text/html' } } } },
    { label: '200 after 5 s', hint: 'The right answer, late.', word: 'late', then: { delay: '5s' } },
    { label: '200 with half of the body', hint: 'The connection ends in the middle.', word: 'cut', then: { body: { truncate: '50%' } } },
    { label: '200 with broken JSON', hint: 'A whole answer that cannot be parsed.', word: 'malformed', then: { body: { malformed: true } } },
    { label: 'No answer: the connection is reset', hint: 'As when a network fails.', word: 'reset', then: { connection: 'reset' } },
  ];
}
