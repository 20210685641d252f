/**
 * Answers a client that does not ask for an event stream with JSON. The protocol wants clients to accept both; many send
 * only one of them, or what `fetch` sends: anything.
 */
export async function answer(
  request: Request,
  serve: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST') return serve(request)
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  const response = await serve(new Request(request, { headers }))
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream')
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (wantsStream === true || isStream !== true) return response
  const answers = messagesOf(await response.text()).filter((message) => !('method' in message))
  return Response.json(answers.length === 1 ? answers[0] : answers, { status: response.status })
}

/** The messages of an event stream, which may have comments and events without data. */
function messagesOf(stream: string): object[] {
  const events = stream.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .flatMap((line) => /^data: ?(.+)/.exec(line)?.[1] ?? [])
      .join('\n'),
  )
  return events.filter((data) => data !== '').map((data) => JSON.parse(data) as object)
}
