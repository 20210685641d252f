import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { ProfessionalnetCompany as Profile, Wait } from 'social-search-sdk'
import { searchOptions } from 'social-search-sdk/query'
import { client, queryClient } from './api.ts'
import { Failure, Loading, Waiting } from './status.tsx'

const example = 'https://professionalnet.example/company/harbour-bean'

export function Company() {
  const [url, setUrl] = useState('')
  const [wait, setWait] = useState<Wait | null>(null)
  const lookup = searchOptions(client, 'professionalnet.company.get', { url }, { onWait: setWait })
  const { data, error, isFetching, refetch } = useQuery({ ...lookup, enabled: url !== '' })
  useEffect(() => {
    if (!isFetching) setWait(null)
  }, [isFetching])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setUrl(String(new FormData(event.currentTarget).get('url')).trim())
  }
  const cancel = () => void queryClient.cancelQueries({ queryKey: lookup.queryKey })
  return (
    <section className="company card stack" aria-labelledby="company-title">
      <h2 id="company-title">Company</h2>
      <form className="row" onSubmit={submit}>
        <input name="url" type="url" required aria-label="URL of the company's page" defaultValue={example} />
        <p className="quiet">A profile costs 4 credits.</p>
        <button className="primary end">Look up</button>
      </form>
      {isFetching && (wait ? <Waiting wait={wait} onCancel={cancel} /> : <Loading onCancel={cancel} />)}
      {error && !isFetching && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <CompanyProfile company={data.company} />}
    </section>
  )
}

function CompanyProfile({ company }: { company: Profile }) {
  const { headquarter, foundedYear, employeeCount, followerCount } = company
  const facts = {
    Industry: company.industry,
    Employees: employeeCount.toLocaleString('en'),
    Followers: followerCount.toLocaleString('en'),
    Founded: foundedYear,
    Headquarters: [headquarter?.city, headquarter?.country].filter(Boolean).join(', '),
  }
  return (
    <article className="stack">
      <h3>{company.name}</h3>
      <p className="quiet">{company.tagline ?? company.description}</p>
      <dl>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} className="row">
            <dt className="quiet">{name}</dt>
            <dd className="end">{value || '–'}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
