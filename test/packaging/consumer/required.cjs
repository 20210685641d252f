// An ES module can be required from CommonJS on the Node versions that the package supports.
const { SocialSearch } = require('social-search-sdk')
const { createSandbox } = require('social-search-sdk/sandbox')

const { baseUrl, apiKey, fetch } = createSandbox()
new SocialSearch({ baseUrl, apiKey, fetch }).microblog
  .search({ query: 'coffee' })
  .then(({ posts }) => console.log(`required: ${posts.length} posts`))
