"""Who may use which part of the API: a role, as for pages, and for tokens a scope."""

from fastapi import Depends

from app.services.api_tokens import Scope
from app.web.access import Requires, Role

# Researchers read studies, and may ask for analyses, measurements and exports.
READ = Depends(Requires(Role.RESEARCHER, Scope.STUDIES_READ))
COMPUTE = Depends(Requires(Role.RESEARCHER, Scope.STUDIES_WRITE))
READ_GRADES = Depends(Requires(Role.RESEARCHER, Scope.GRADES_READ))
# Admins run studies.
READ_DESK = Depends(Requires(Role.ADMIN, Scope.STUDIES_READ))
CHANGE = Depends(Requires(Role.ADMIN, Scope.STUDIES_WRITE))
WRITE_GRADES = Depends(Requires(Role.ADMIN, Scope.GRADES_WRITE))
# Users, links that let people in, and names beside pseudonyms.
ADMINISTER = Depends(Requires(Role.ADMIN, Scope.ADMIN))
